// Package freeport finds ports for the servers that tests start.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports of this range are tried. It ends below the ports that Linux gives to connections that
// ask for none (32768 and up): a server that was stopped finds its port free when it starts again.
const first, last = 20000, 29999

// held keeps what Take has taken until the process ends.
var held struct {
	sync.Mutex
	names []net.Listener
}

// Take returns a port on which nobody listens, on any address of this host. No other call gets it, in
// this process or in another one on the same network, until this process has ended.
func Take() (string, error) {
	n := last - first + 1
	for i, from := 0, rand.IntN(n); i < n; i++ {
		port := first + (from+i)%n
		// Sockets of this kind are names without a file, as many networks as there are know them apart,
		// and they go when the process goes.
		name, err := net.Listen("unix", fmt.Sprintf("@berth-test-port-%d", port))
		if err != nil {
			continue
		}
		l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
		if err != nil {
			name.Close()
			continue
		}
		l.Close()
		held.Lock()
		defer held.Unlock()
		held.names = append(held.names, name)
		return strconv.Itoa(port), nil
	}
	return "", errors.New("no port from " + strconv.Itoa(first) + " to " + strconv.Itoa(last) + " is free")
}
