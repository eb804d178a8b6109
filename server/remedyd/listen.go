package remedyd

import (
	"errors"
	"net"
	"syscall"
)

// unheard says what to do about an address that cannot be listened on.
func unheard(err error) string {
	_, isName := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "stop what listens there, or choose another port; port 0 takes a free one"
	case errors.Is(err, syscall.EADDRNOTAVAIL), isName:
		return "write an address of this machine, or 0.0.0.0 or [::] for all of them, and a port"
	case errors.Is(err, syscall.EACCES):
		return "choose a port above 1023, or give this user the right to listen on this one"
	default:
		return "write host:port with a port of at most 65535, which this machine has and nobody listens on"
	}
}
