package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/source"
	"github.com/remedyrpc/remedy/internal/declared"
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

// gaps says what protos lack although something speaks for it that they had it once.
func gaps(files *source.Files, set *declared.Set) []string {
	var found []string
	if files.Kind != source.Folder {
		for _, name := range set.Bare {
			found = append(found, fmt.Sprintf("%s imports remedy/v1/options.proto and uses nothing of it: "+
				"what it declares seems to have been dropped from this %s; read its protos instead", name, files.Kind))
		}
	}
	for _, service := range files.Undescribed {
		found = append(found, fmt.Sprintf("the server lists %s and does not describe it: read its protos instead", service))
	}
	return found
}

// notes says what cannot be known.
func notes(files *source.Files, set *declared.Set) []string {
	if files.Kind != source.Server {
		return nil
	}
	silent := make(map[string]bool)
	for _, m := range set.Methods {
		if m.Contract == nil && files.IsOwn(m.Method.ParentFile().Path()) {
			silent[string(m.Method.Parent().FullName())] = true
		}
	}
	for _, m := range set.Methods {
		if m.Contract != nil {
			delete(silent, string(m.Method.Parent().FullName()))
		}
	}
	if len(silent) == 0 {
		return nil
	}
	return []string{"No method of these services has a contract, and reflection does not tell whether none was written or the server " +
		"dropped it: " + strings.Join(slices.Sorted(maps.Keys(silent)), ", ") + "."}
}

// nothing is the error of protos that declare nothing; nil when they declare something.
func nothing(files *source.Files, set *declared.Set, name string) error {
	contracts := 0
	for _, m := range set.Methods {
		if m.Contract != nil {
			contracts++
		}
	}
	if len(set.Errors)+contracts > 0 {
		return nil
	}
	err := fmt.Errorf("%s: %s no error and no contract", name, plural(files.Own(), "file declares", "files declare"))
	if found := gaps(files, set); len(found) > 0 {
		err = fmt.Errorf("%w: %s", err, strings.Join(found, "; "))
	} else if files.Kind == source.Server {
		err = fmt.Errorf("%w; reflection does not tell whether none was written or the server dropped them: read its protos instead", err)
	} else {
		err = fmt.Errorf("%w; give the protos that have (remedy.v1.error) or (remedy.v1.contract) options", err)
	}
	if files.Kind == source.Server {
		return notReadError{err}
	}
	return usageError{err}
}
