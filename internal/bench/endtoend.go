package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/validate"
)

// service answers every GetTool, whose request has a rule to validate, with one error or none.
type service struct {
	servicev1.UnimplementedToolServiceServer

	err func() error
}

func (s service) GetTool(context.Context, *servicev1.GetToolRequest) (*servicev1.GetToolResponse, error) {
	if s.err != nil {
		return nil, s.err()
	}
	return &servicev1.GetToolResponse{}, nil
}

// connect starts a server on loopback or in memory and returns a connection to it.
func connect(
	ctx context.Context, network string, register func(grpc.ServiceRegistrar), server []grpc.ServerOption, dial []grpc.DialOption,
) (*grpc.ClientConn, func(), error) {
	var listener net.Listener
	var dialer func(ctx context.Context) (net.Conn, error)
	if network == "bufconn" {
		l := bufconn.Listen(1 << 20) //nolint:mnd // bytes of buffer
		listener, dialer = l, l.DialContext
	} else {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, nil, fmt.Errorf("listening: %w", err)
		}
		listener, dialer = l, func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", l.Addr().String())
		}
	}
	srv := grpc.NewServer(server...)
	register(srv)
	go func() { _ = srv.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///bench", append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return dialer(ctx) }),
	}, dial...)...)
	if err != nil {
		srv.Stop()
		return nil, nil, fmt.Errorf("dialing: %w", err)
	}
	return conn, func() { _ = conn.Close(); srv.Stop() }, nil
}

func endToEnd(w io.Writer, network string, rounds, calls int) error {
	core, err := interceptors.ServerOptions()
	if err != nil {
		return err
	}
	validator, err := validate.New(nil)
	if err != nil {
		return err
	}
	validating, err := interceptors.ServerOptions(interceptors.WithValidate(validator))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour) // a deadline, as every good caller has one
	defer cancel()
	var stops []func()
	defer func() {
		for _, stop := range stops {
			stop()
		}
	}()
	var all []*scenario
	add := func(name string, svc service, server []grpc.ServerOption, dial []grpc.DialOption, match func(error) error) (*scenario, error) {
		register := func(r grpc.ServiceRegistrar) { servicev1.RegisterToolServiceServer(r, svc) }
		conn, stop, err := connect(ctx, network, register, server, dial)
		if err != nil {
			return nil, err
		}
		stops = append(stops, stop)
		client, request := servicev1.NewToolServiceClient(conn), &servicev1.GetToolRequest{Name: tool}
		s := &scenario{name: name, call: func() error {
			_, err := client.GetTool(ctx, request)
			return match(err)
		}}
		all = append(all, s)
		return s, nil
	}
	ok := func(err error) error { return err }
	bare, err1 := add("success, bare", service{}, nil, nil, ok)
	cored, err2 := add("success, core chain", service{}, core, nil, ok)
	validated, err3 := add("success, core chain and validate", service{}, validating, nil, ok)
	decoded, err4 := add("success, client decode only", service{}, nil, interceptors.DialOptions(), ok)
	hand, err5 := add("error by hand, WithDetails and Details", service{err: byHand}, nil, nil, matchByHand)
	ours, err6 := add("error, typed, core chain and decode", service{err: typed}, core, interceptors.DialOptions(), matchTyped)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return err
	}
	if err := measure(all, rounds, calls, 1); err != nil {
		return err
	}
	report(w, "unary, "+network+", one caller", all, []target{
		{"success, core chain", cored, bare, 1.06, 8},
		{"success, core chain and validate", validated, bare, 1.10, 10},
		{"success, client decode", decoded, bare, -1, 2},
		{"error, end to end (target 0.85x)", ours, hand, 1.0, -1},
	}, 1)
	return nil
}
