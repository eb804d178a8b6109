package main

import (
	"context"
	"time"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/demo"
)

// serviceCommand is the service that the demo starts in a process of its own, and kills. It is not for people.
type serviceCommand struct {
	DB string `help:"SQLite file of the operations." required:"true"`

	Book string `help:"Book of the carrier, a file." required:"true"`

	Ahead time.Duration `help:"How far the clock of the store is ahead."`

	Hold string `help:"Tool whose effects wait, once they took place, for the end of the process."`
}

// Run serves until standard input ends.
func (c *serviceCommand) Run(ctx context.Context, s *streams) error {
	service := demo.Service{DB: c.DB, Book: c.Book, Ahead: c.Ahead, Hold: c.Hold}
	return service.Serve(ctx, s.in, s.out)
}
