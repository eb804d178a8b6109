package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/client"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/internal/shop"
	"github.com/remedyrpc/remedy/server"
)

// stage is a running service, its shop, and two clients with a connection each.
type stage struct {
	addr   string
	shop   *shop.Store
	server *grpc.Server
	served chan struct{}
	client *client.Client
	// stranger is a connection without a single option of ours.
	stranger *grpc.ClientConn
}

// start starts the service and connects to it.
func start(ctx context.Context, options Options) (*stage, error) {
	seed := shop.DefaultSeed()
	seed.Now = func() time.Time { return time.Date(2026, 9, 7, 8, 0, 0, 0, time.UTC) } // for the transcript to be the same
	s := &stage{shop: shop.New(seed), served: make(chan struct{})}
	_, registered, err := serviceOf(shop.Tools(s.shop))
	if err != nil {
		return nil, err
	}
	s.server = registered
	listener := options.Listener
	if listener == nil {
		if listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
			return nil, err //nolint:wrapcheck // it says where
		}
	}
	s.addr = listener.Addr().String()
	go func() {
		defer close(s.served)
		_ = s.server.Serve(listener) // ends when the server is stopped
	}()
	if err := s.connect(options); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// principalHeader says who is calling. The demo believes it; a service would not.
const principalHeader = "demo-principal"

// serviceOf registers the tools of a shop the way a service of one's own would.
func serviceOf(tools []*server.AnyTool, options ...server.Option) (*server.Server, *grpc.Server, error) {
	quiet := slog.New(slog.DiscardHandler) // what callers are not told is not part of the transcript
	// A service looks at what became of an operation every few seconds; the demo is not to wait for it.
	defaults := []server.Option{server.WithLogger(quiet), server.WithRecheckInterval(0), server.WithSweepInterval(0)}
	srv, err := server.New(tools, append(defaults, options...)...)
	if err != nil {
		return nil, nil, err
	}
	authenticate, err := auth.New(func(ctx context.Context, _ string) (auth.Identity, error) {
		if names := metadata.ValueFromIncomingContext(ctx, principalHeader); len(names) == 1 {
			return auth.Identity{Principal: names[0]}, nil
		}
		return auth.Identity{}, errors.New("nobody is calling")
	})
	if err != nil {
		return nil, nil, err
	}
	stages, err := interceptors.ServerOptions(
		interceptors.WithAuth(authenticate), interceptors.WithEncode(encode.WithLogger(quiet)))
	if err != nil {
		return nil, nil, err
	}
	g := grpc.NewServer(stages...)
	srv.Register(g)
	return srv, g, nil
}

func (s *stage) connect(options Options) error {
	target := s.addr
	dial := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	ours := []client.Option{client.WithInsecure()}
	if options.Dial != nil {
		target = "passthrough:///" + s.addr
		dial = append(dial, grpc.WithContextDialer(options.Dial))
		ours = append(ours, client.WithDialOptions(grpc.WithContextDialer(options.Dial)))
	}
	var err error
	if s.client, err = client.Dial(target, ours...); err != nil {
		return err
	}
	if s.stranger, err = grpc.NewClient(target, dial...); err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	return nil
}

// stop ends everything, whatever of it there is.
func (s *stage) stop() {
	if s.client != nil {
		_ = s.client.Close()
	}
	if s.stranger != nil {
		_ = s.stranger.Close()
	}
	s.server.Stop()
	<-s.served
}

// as says who makes the calls of a context.
func as(ctx context.Context, principal string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, principalHeader, principal)
}

// ask calls a tool without any of our code: over a plain connection, by the stub that protoc-gen-go-grpc writes for
// everybody. What it returns is what such a caller has.
func (s *stage) ask(ctx context.Context, c *Call) error {
	input, err := c.json()
	if err != nil {
		return err
	}
	_, err = servicev1.NewToolServiceClient(s.stranger).CallTool(ctx, &servicev1.CallToolRequest{
		Tool: c.Tool, Input: &servicev1.CallToolRequest_InputJson{InputJson: string(input)}, OperationKey: c.Key,
	})
	return err
}
