package statement

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/remedyrpc/remedy/server/ledger"
)

// List implements [ledger.Ledger]. Only what the filter names is in its statement, so that each database chooses the index.
func (s *Store) List(ctx context.Context, f ledger.Filter) ([]ledger.Row, string, error) {
	limit := max(f.Limit, 1)
	a := &Arguments{
		key: ledger.Key{Tenant: f.Tenant, Scope: f.Scope, Tool: f.Tool, Key: f.Key}, principal: f.Principal, run: f.RunID,
		limit: int64(limit) + 1,
	}
	if f.Token != "" {
		var ok bool
		if a.created, a.id, ok = parseToken(f.Token); !ok {
			return nil, "", ledger.ErrToken
		}
	}
	list, err := s.statements.List(f)
	if err != nil {
		return nil, "", err
	}
	seen, err := s.db.Read(ctx, list, a)
	if err != nil {
		return nil, "", err
	}
	token := ""
	if len(seen) > limit {
		seen = seen[:limit]
		last := &seen[limit-1]
		token = formatToken(last.CreatedAt.UnixMicro(), last.ID)
	}
	rows := make([]ledger.Row, len(seen))
	for i := range seen {
		rows[i] = seen[i].Row
	}
	return rows, token, nil
}

// List is the statement for a filter.
func (s *Statements) List(f ledger.Filter) (*Statement, error) {
	return s.dialect.Statement("list", listText(f))
}

func listText(f ledger.Filter) string {
	conditions := []string{"tenant = @tenant"}
	for _, equal := range []struct{ value, condition string }{
		{f.Scope, "scope = @scope"},
		{f.Principal, "principal = @principal"},
		{f.Tool, "tool = @tool"},
		{f.Key, "key = @key"},
		{f.RunID, "run_id = @run AND run_id <> ''"},
	} {
		if equal.value != "" {
			conditions = append(conditions, equal.condition)
		}
	}
	if len(f.States) == 0 {
		conditions = append(conditions, "state <> 1")
	} else {
		states := make([]string, len(f.States))
		for i, state := range f.States {
			states[i] = strconv.Itoa(int(state))
		}
		conditions = append(conditions, "state IN ("+strings.Join(states, ", ")+")")
	}
	if f.Token != "" {
		conditions = append(conditions, "(created_at, id) < (@created, @id)")
	}
	return "SELECT {{selection}} FROM {{table}} WHERE " + strings.Join(conditions, " AND ") +
		" ORDER BY created_at DESC, id DESC LIMIT @limit"
}

// A token is where the page before ended.
func formatToken(created int64, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(created, 10) + " " + id))
}

func parseToken(token string) (created int64, id string, ok bool) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return 0, "", false
	}
	number, id, ok := strings.Cut(string(text), " ")
	created, err = strconv.ParseInt(number, 10, 64)
	return created, id, ok && err == nil && keepable(id) == id
}
