package workerport

import (
	"net/http"
	"net/netip"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/pace"
)

// maxAddresses is how many addresses with failures are told apart.
const maxAddresses = 10_000

// comeBack is when a worker that found no room may try again; it adds its own jitter.
const comeBack = 5 * time.Second

var (
	errBusy = fault.New(fault.Unavailable, "worker_port.busy",
		"The server admits as many workers as it can at once. The worker comes back by itself.").After(comeBack)
	errFull = fault.New(fault.Unavailable, "worker_port.full",
		"The server holds as many links as it can, or is stopping. The worker comes back by itself.").After(comeBack)
)

// admission bounds how many requests are judged, and how often one address may be wrong.
type admission struct {
	slots    chan struct{} // one for each request being judged
	patience time.Duration // of a request that waits for one
	rate     *pace.Buckets // under one key
	failures *pace.Buckets // by address
}

func newAdmission(l Limits, now core.Clock) *admission {
	return &admission{slots: make(chan struct{}, l.AtOnce), patience: l.Patience, rate: pace.New(l.Rate, 1, now), failures: pace.New(l.Failures, maxAddresses, now)}
}

// enter lets a request from an address be judged, or says why not. leave must be called
// once when it was judged; calling it again does nothing.
func (a *admission) enter(address string) (leave func(), err error) {
	if wait := a.rate.Take("all"); wait > 0 {
		return nil, errBusy
	}
	// Only failures cost: a token is taken to see that there is one, and given back.
	if wait := a.failures.Take(address); wait > 0 {
		return nil, fault.New(fault.TooMany, "worker_port.too_many_failures",
			"Too many refused tokens or keys came from this address. Check WORKER_TOKEN, and wait before the next try.").After(wait)
	}
	a.failures.Give(address)
	// A request has cost a TLS handshake by now: sending it away would cost another one later, so that a server which
	// is slow for a while would be slower still.
	timer := time.NewTimer(a.patience)
	defer timer.Stop()
	select {
	case a.slots <- struct{}{}:
	case <-timer.C:
		return nil, errBusy
	}
	left := false
	return func() {
		if !left {
			left = true
			<-a.slots
		}
	}, nil
}

// failed counts a refused credential against its address.
func (a *admission) failed(address string) { a.failures.Take(address) }

// addressOf names the host that a request came from.
func addressOf(r *http.Request) string { return hostOf(r.RemoteAddr) }

// hostOf names a host by its address; hosts with IPv6 have at least 64 bits of
// addresses each, so those count as one.
func hostOf(remote string) string {
	port, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	address := port.Addr().Unmap().WithZone("")
	if address.Is4() {
		return address.String()
	}
	network, err := address.Prefix(64)
	if err != nil {
		return address.String()
	}
	return network.String()
}
