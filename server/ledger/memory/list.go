package memory

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/rules"
)

// List returns a page of rows, the newest operation first.
func (l *Ledger) List(ctx context.Context, filter ledger.Filter) ([]ledger.Row, string, error) {
	unlock, err := l.lock(ctx)
	if err != nil {
		return nil, "", err
	}
	defer unlock()
	after, err := parsePlace(filter.Token)
	if err != nil {
		return nil, "", err
	}
	var found []*ledger.Row
	for _, e := range l.shelf.rows {
		if matches(&e.row, &filter) && (filter.Token == "" || placeOf(&e.row).compare(after) > 0) {
			found = append(found, &e.row)
		}
	}
	slices.SortFunc(found, func(a, b *ledger.Row) int { return placeOf(a).compare(placeOf(b)) })
	token := ""
	if limit := max(filter.Limit, 1); len(found) > limit {
		found = found[:limit]
		token = placeOf(found[limit-1]).token()
	}
	now := l.now()
	page := make([]ledger.Row, len(found))
	for i, row := range found {
		page[i] = clone(rules.Read(*row, now))
	}
	return page, token, nil
}

func matches(row *ledger.Row, filter *ledger.Filter) bool {
	return row.Tenant == filter.Tenant &&
		(filter.Scope == "" || row.Scope == filter.Scope) &&
		(filter.Principal == "" || row.Principal == filter.Principal) &&
		(filter.Tool == "" || row.Tool == filter.Tool) &&
		(filter.Key == "" || row.Key.Key == filter.Key) &&
		(filter.RunID == "" || row.RunID == filter.RunID) &&
		(len(filter.States) == 0 && row.State != ledger.Free || slices.Contains(filter.States, row.State))
}

// place is where a row stands in a list; an operation keeps its place.
type place struct {
	created int64 // Unix, in ns
	id      string
}

func placeOf(row *ledger.Row) place { return place{created: row.CreatedAt.UnixNano(), id: row.ID} }

// compare is below zero where a place is before another one: the newer is.
func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(other.created, p.created), cmp.Compare(other.id, p.id))
}

func (p place) token() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(p.created, 10) + "." + p.id))
}

func parsePlace(token string) (place, error) {
	if token == "" {
		return place{}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return place{}, fmt.Errorf("%w: %w", ledger.ErrToken, err)
	}
	created, id, _ := strings.Cut(string(text), ".")
	at, err := strconv.ParseInt(created, 10, 64)
	if err != nil {
		return place{}, fmt.Errorf("%w: %w", ledger.ErrToken, err)
	}
	return place{created: at, id: id}, nil
}
