package git

import (
	"errors"
	"net"
	"syscall"

	"berth/hub/adapter/outbound"
)

// noConnection says what came about, which is none, and why as far as that is known: err itself may hold anything.
func noConnection(what string, err error) string {
	if why := whyNone(err); why != "" {
		return what + ": " + why
	}
	return what
}

func whyNone(err error) string {
	var name *net.DNSError
	if errors.As(err, &name) {
		if name.IsNotFound {
			return "no host has that name. Correct the address, or what resolves names on the server"
		}
		return "the name could not be looked up. See what resolves names on the server"
	}
	if why := outbound.Distrust(err); why != "" {
		return "its certificate is not trusted: " + why
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens on that port. See whether the Git host runs, and whether the port is right"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no way leads there from the server"
	case errors.Is(err, syscall.ECONNRESET):
		return "it was cut off"
	}
	return ""
}
