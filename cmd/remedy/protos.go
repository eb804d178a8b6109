package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/source"
)

// protos says where protos are: on this machine, or in a running service.
type protos struct {
	Addr *string `help:"host:port of a running service, to ask it by server reflection." placeholder:"HOST:PORT"`

	connection

	Timeout time.Duration `default:"30s" help:"How long to wait for the service; 0 is no bound."`

	imports
}

// imports says where the imports of a folder are.
type imports struct {
	Import []string `help:"Folder that imports begin in, beside that of the protos; may be repeated." placeholder:"DIR" sep:"none"`
}

// open reads a folder or an image.
func (i *imports) open(ctx context.Context, path string) (*source.Files, error) {
	files, err := source.Open(ctx, path, i.Import...)
	if err != nil {
		return nil, usageError{err}
	}
	return files, nil
}

// read reads what path names, or asks the service at --addr: one of them has to be given.
func (p *protos) read(ctx context.Context, path *string) (*source.Files, error) {
	switch {
	case path != nil && p.Addr != nil:
		return nil, usageError{errors.New("protos and --addr: give one of them")}
	case path != nil:
		return p.open(ctx, *path)
	case p.Addr == nil:
		return nil, usageError{errors.New("give a folder of protos, an image, or --addr of a running service")}
	}
	creds, err := p.check(*p.Addr)
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(*p.Addr, grpc.WithTransportCredentials(creds))
	if err != nil {
		return nil, usageError{fmt.Errorf("--addr: %w", err)}
	}
	defer conn.Close() //nolint:errcheck // nothing is left to lose
	ctx, cancel := p.context(ctx, p.Timeout)
	defer cancel()
	files, err := source.Reflect(ctx, conn)
	if err != nil {
		return nil, notReadError{fmt.Errorf("%s: %w", *p.Addr, err)}
	}
	return files, nil
}

// name is what the protos are called on the command line.
func (p *protos) name(path *string) string {
	if path != nil {
		return *path
	}
	return *p.Addr
}
