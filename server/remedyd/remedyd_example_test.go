package remedyd_test //nolint:testableexamples // Main ends the process

import (
	"context"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/remedyd"
)

var tableTaken = errs.MustDefine("table_taken", errs.AfterRepair, errs.Headline("The table is taken at that time."),
	errs.Steps(errs.CallTool("list_tables", "Choose a free table, then book that.")))

type Booking struct {
	Table string `json:"table" jsonschema:"A table from list_tables."`
}

type Booked struct {
	Number string `json:"number"`
}

// A daemon of one's own is its tools and one call: this body is that of main.
func ExampleMain() {
	book := server.NewTool("book_table", "Book a table.", server.Tool[Booking, Booked]{
		Execute: func(ctx context.Context, op *server.Op, in Booking) (server.Effect[Booked], error) {
			if taken(ctx, in.Table) {
				return nil, tableTaken.New(errs.Detail("table", in.Table)) // nothing happened, and the key is free again
			}
			return func(ctx context.Context) (Booked, error) { return reserve(ctx, op.ID, in.Table) }, nil
		},
		Recover: func(ctx context.Context, op *server.Op, _ Booking) (server.Recovered[Booked], error) {
			if booked, ok := reserved(ctx, op.ID); ok {
				return server.Committed(booked), nil
			}
			return server.NotFound[Booked](), nil
		},
		Errors: []*errs.Definition{tableTaken},
	})
	list := server.NewReadTool("list_tables", "List free tables.",
		func(context.Context, *server.Op, struct{}) (map[string][]string, error) {
			return map[string][]string{"tables": {"t1"}}, nil
		})
	remedyd.Main(book, list)
}

// The book of the restaurant.
func taken(context.Context, string) bool { return false }

func reserve(_ context.Context, id, _ string) (booked Booked, _ error) {
	return Booked{Number: id}, nil
}
func reserved(context.Context, string) (booked Booked, _ bool) { return Booked{}, false }
