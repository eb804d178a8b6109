package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/client"
)

// address says where the service is and how to reach it.
type address struct {
	Addr string `default:"127.0.0.1:7465" env:"REMEDY_ADDR" help:"host:port of the service."`

	connection
}

// connection says how to reach a service.
type connection struct {
	TLS string `default:"auto" enum:"auto,on,off" help:"Whether to use TLS; auto means for every address but this host's."`

	Header map[string]string `help:"Header to send with each call; may be repeated." mapsep:"none" placeholder:"NAME=VALUE"`

	CAFile string `help:"PEM file of the authorities to trust, not those of the system." name:"ca-file" placeholder:"FILE"`
}

// context returns a context for the calls of a command; a timeout of zero is no bound.
func (c *connection) context(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	ctx = metadata.NewOutgoingContext(ctx, metadata.New(c.Header))
	if timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, timeout)
}

// dial returns a client of the service. It connects on the first call.
func (a *address) dial(options ...client.Option) (*client.Client, error) {
	creds, err := a.check(a.Addr)
	if err != nil {
		return nil, err
	}
	c, err := client.Dial(a.Addr, append(options, client.WithTransportCredentials(creds))...)
	if err != nil {
		return nil, usageError{fmt.Errorf("--addr: %w", err)}
	}
	return c, nil
}

// check returns how to secure the connection, once it is known that the headers can be sent.
func (c *connection) check(addr string) (credentials.TransportCredentials, error) {
	for name, value := range c.Header {
		if err := checkHeader(name, value); err != nil {
			return nil, usageError{fmt.Errorf("--header: %w", err)}
		}
	}
	return c.credentials(addr)
}

// checkHeader refuses what grpc cannot send, or keeps for itself and leaves out.
func checkHeader(name, value string) error {
	name = strings.ToLower(name)
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
		return fmt.Errorf("the name %q has other characters than A-Z a-z 0-9 . _ -", name)
	}
	switch name {
	case "content-type", "te", "user-agent":
		return fmt.Errorf("%s is set by grpc", name)
	}
	if strings.HasPrefix(name, "grpc-") {
		return fmt.Errorf("%s is set by grpc", name)
	}
	isPrintable := func(r rune) bool { return r >= ' ' && r <= '~' }
	if !strings.HasSuffix(name, "-bin") && strings.TrimFunc(value, isPrintable) != "" {
		return fmt.Errorf("the value of %s must be printable ASCII", name)
	}
	return nil
}

// credentials returns how to secure the connection.
func (c *connection) credentials(addr string) (credentials.TransportCredentials, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, usageError{fmt.Errorf("--addr: %w", err)}
	}
	if c.TLS == "off" || c.TLS == "auto" && c.CAFile == "" && isLocal(host) {
		return insecure.NewCredentials(), nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, usageError{fmt.Errorf("--ca-file: %w", err)}
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, usageError{fmt.Errorf("--ca-file: %s holds no certificate in PEM", c.CAFile)}
		}
	}
	return credentials.NewTLS(config), nil
}

// isLocal reports whether nobody but this host can listen at host.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
