package statement

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/remedyrpc/remedy/server/ledger"
)

// Dialect is where the databases differ.
type Dialect struct {
	// Table is the quoted name of the table of operations.
	Table string
	// Now is the clock of the database, in microseconds. It may use @now, which tests set.
	Now string
	// Find is the function that finds text within text; Newline is a line feed.
	Find, Newline string
	// Parameter is what comes before the number of a parameter. Where there is no number, each place has a value of its own.
	Parameter  string
	Unnumbered bool
	// Among chooses the rows whose Place a query returns; Lock keeps other processes from choosing them too.
	Among, Place, Lock string
	// Returning is added to what every move returns: an expression that tells those who wait for the row.
	Returning string
	// Quiet says that the database knows what it stored last, and its time: it gets a [Statement.Quiet] of the frequent moves.
	Quiet bool

	given bool // the entries of the trail are
}

// Statement is the text of one statement, and where each of its parameters comes from.
type Statement struct {
	Name string
	SQL  string
	// Quiet does the same to a row that is known, and returns none; see [Arguments.Foresee]. Nil where the dialect has none.
	Quiet *Statement

	parameters []func(*Arguments) any
}

// Values returns the values of the parameters, in their order.
func (s *Statement) Values(a *Arguments) []any {
	values := make([]any, len(s.parameters))
	for i, value := range s.parameters {
		values[i] = value(a)
	}
	return values
}

var parameter = regexp.MustCompile(`@[a-z]+`)

// Statement writes the text of a statement in the dialect.
func (d *Dialect) Statement(name, text string) (*Statement, error) {
	t, err := template.New(name).Funcs(d.words()).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("statement %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, nil); err != nil {
		return nil, fmt.Errorf("statement %s: %w", name, err)
	}
	s := &Statement{Name: name}
	numbers := make(map[string]int)
	s.SQL = parameter.ReplaceAllStringFunc(b.String(), func(p string) string {
		n, ok := numbers[p]
		if !ok || d.Unnumbered {
			value, known := arguments[p[1:]]
			if !known {
				err = fmt.Errorf("statement %s: no parameter %s", name, p)
			}
			s.parameters = append(s.parameters, value)
			n = len(s.parameters)
			numbers[p] = n
		}
		if d.Unnumbered {
			return d.Parameter
		}
		return d.Parameter + strconv.Itoa(n)
	})
	return s, err
}

// quietly writes the text of a move so that it returns no row. The entry of the trail is known, too.
func (d *Dialect) quietly(name, text string) (*Statement, error) {
	given := *d
	given.given = true
	if strings.Contains(text, "UPDATE {{table}}") {
		text = strings.Replace(text, "{{returning}}", "AND version = @version", 1)
	} else {
		text = strings.Replace(text, "\n{{returning}}", "", 1)
	}
	return given.Statement(name+" quietly", text)
}

// words are what the statements are made of, besides SQL.
func (d *Dialect) words() template.FuncMap {
	return template.FuncMap{
		"table": func() string { return d.Table },
		"now":   func() string { return d.Now },
		"key":   func() string { return "tenant = @tenant AND scope = @scope AND tool = @tool AND key = @key" },
		// selection is a row, with the time at which it is read; returning is the row as it is after the move.
		"selection": func() string { return selection + ", " + d.Now },
		"returning": func() string { return "RETURNING " + selection + ", " + d.Now + d.Returning },
		"entry":     d.entry,
		"moved":     d.moved,
		"oldest":    d.oldest,
		// fresh is what is of the operation: of a new one where the row was FREE, else of the one there is.
		"fresh": func(of, there string) string { return fmt.Sprintf("CASE state WHEN 1 THEN %s ELSE %s END", of, there) },
		// harmless tells an operation that provably had no effect from others.
		"harmless": func(yes, no string) string {
			return fmt.Sprintf("CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN %s ELSE %s END",
				yes, no)
		},
		// effect tells an operation past the boundary from others; swept is where it goes when its lease is out.
		"effect": func(yes, no string) string { return fmt.Sprintf("CASE state WHEN 3 THEN %s ELSE %s END", yes, no) },
		"swept":  func() string { return "CASE WHEN state = 3 THEN 3 WHEN crossings = 0 THEN 1 ELSE 5 END" },
	}
}

// moved counts a change that is a move, and adds it to the trail, which keeps the last MaxTrail of them.
func (d *Dialect) moved(alias, to, fence, id, attempt string, notes ...string) string {
	if alias != "" {
		alias += "."
	}
	trail, moves := alias+"trail", alias+"moves"
	older := fmt.Sprintf("CASE WHEN %s < %d THEN %s ELSE substr(%[3]s, %[4]s(%[3]s, %[5]s) + 1) END",
		moves, ledger.MaxTrail, trail, d.Find, d.Newline)
	return fmt.Sprintf("version = %sversion + 1, moved_at = %s, moves = %s + 1,\n  trail = %s || %s",
		alias, d.Now, moves, older, d.entry(alias+"state", to, fence, id, attempt, notes...))
}

// entry is one line of the trail; parseMove reads it.
func (d *Dialect) entry(from, to, fence, id, attempt string, notes ...string) string {
	if d.given {
		return "@entry"
	}
	var b strings.Builder
	for _, number := range []string{d.Now, from, to, fence} {
		fmt.Fprintf(&b, "CAST(%s AS text) || '|' || ", number)
	}
	fmt.Fprintf(&b, "%s || '|' || %s || ", id, attempt)
	if len(notes) == 0 {
		return b.String() + "@note"
	}
	return b.String() + notes[0]
}

// oldest chooses the rows that have been so for an age, the oldest first.
func (d *Dialect) oldest(since, which, age string) string {
	return fmt.Sprintf(d.Among, fmt.Sprintf("SELECT %s FROM %s WHERE %s AND %s <= %s - %s ORDER BY %[4]s LIMIT @limit %[7]s",
		d.Place, d.Table, which, since, d.Now, age, d.Lock))
}
