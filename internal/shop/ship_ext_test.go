package shop_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/internal/shop"
	"github.com/remedyrpc/remedy/server"
)

// depot is a server with the tools of a carrier.
func depot(t *testing.T) (*server.Server, *shop.Carrier) {
	t.Helper()
	carrier := shop.NewCarrier(filepath.Join(t.TempDir(), "book"))
	srv, err := server.New(shop.CarrierTools(carrier, server.Timeouts{}), server.WithSweepInterval(0), server.WithRecheckInterval(0))
	if err != nil {
		t.Fatal(err)
	}
	return srv, carrier
}

func TestShip(t *testing.T) {
	t.Parallel()
	srv, carrier := depot(t)
	tests := []struct {
		tool, fate string
		code       errs.Code
		requests   int
	}{
		{"ship_tracked", "", "", 1},
		{"ship_tracked", "answer_lost", "", 1},
		{"ship_tracked", "refused", "parcel_refused", 0},
		{"ship_tracked", "closed", "depot_closed", 0},
		{"ship_untracked", "", "", 1},
		{"ship_untracked", "answer_lost", errs.CodeOutcomeUnknown, 1},
		{"ship_now", "", "", 1},
		{"ship_now", "answer_lost", "", 1},
		{"ship_now", "closed", "depot_closed", 0},
		{"ship_once", "", "", 1},
	}
	var want []shop.Request
	for _, test := range tests {
		key := test.tool + "-" + test.fate
		for range 2 {
			result, err := srv.Call(t.Context(), server.Call{
				Tool: test.tool, OperationKey: key, Input: `{"parcel":"p1","fate":"` + test.fate + `"}`,
			})
			if errs.CodeOf(err) != test.code || err == nil && result.OperationID == "" {
				t.Errorf("%s, %s: got %+v, %v", test.tool, test.fate, result, err)
			}
		}
		requests, err := carrier.Requests()
		if err != nil || len(requests) != len(want)+test.requests {
			t.Fatalf("%s, %s: the carrier was asked for %+v, %v", test.tool, test.fate, requests, err)
		}
		if test.requests > 0 {
			want = append(want, shop.Request{
				OperationID: requests[len(want)].OperationID, OperationKey: key, Tool: test.tool, Parcel: "p1",
			})
		}
		if diff := cmp.Diff(want, requests); diff != "" {
			t.Error(diff)
		}
	}
}

// TestBook has a book that cannot be used: that is an error of the effect, and nobody knows.
func TestBook(t *testing.T) {
	t.Parallel()
	srv, err := server.New(shop.CarrierTools(shop.NewCarrier(t.TempDir()), server.Timeouts{}), server.WithSweepInterval(0))
	if err != nil {
		t.Fatal(err)
	}
	_, err = srv.Call(t.Context(), server.Call{Tool: "ship_tracked", OperationKey: "k", Input: `{"parcel":"p1"}`})
	if errs.CodeOf(err) != errs.CodeOutcomeUnknown {
		t.Errorf("got %v", err)
	}
	path := filepath.Join(t.TempDir(), "book")
	if err := os.WriteFile(path, []byte("op k ship_now p1\nop k\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if requests, err := shop.NewCarrier(path).Requests(); err == nil {
		t.Errorf("got %+v of a damaged book", requests)
	}
}

// TestBookPages has lines of all lengths, of which none may cross a page: a process that is killed would leave half of it.
func TestBookPages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "book")
	carrier := shop.NewCarrier(path)
	srv, err := server.New(shop.CarrierTools(carrier, server.Timeouts{}), server.WithSweepInterval(0))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 64 {
		name := strings.Repeat("n", 1+n)
		call := server.Call{Tool: "ship_untracked", OperationKey: name, Input: `{"parcel":"` + name + `"}`}
		if _, err := srv.Call(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	book, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	for end := page; end <= len(book); end += page {
		if book[end-1] != '\n' {
			t.Errorf("a line crosses byte %d of the book", end)
		}
	}
	if requests, err := carrier.Requests(); err != nil || len(requests) != 64 || len(book) < page {
		t.Errorf("got %d requests in %d bytes, %v", len(requests), len(book), err)
	}
}
