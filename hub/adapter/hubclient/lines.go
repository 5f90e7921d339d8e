package hubclient

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"berth/core"
	"berth/core/hubs"
	"berth/core/seal"
)

// Bounds of connections to a hub.
const (
	dialTime   = 2 * time.Second
	headerTime = 3 * time.Second // a hub says at once that it has heard
	idleTime   = 90 * time.Second
	maxIdle    = 8
	restTime   = 3 * time.Second // after a failure, in which nobody waits for that hub again
	maxLines   = 64              // hubs that connections are kept to
)

// lines are the ways to hubs, one for each address and key.
type lines struct {
	now core.Clock

	mu  sync.Mutex
	all map[place]*line // guarded by mu
}

// place is what a line belongs to: a hub that starts anew with another key gets another one.
type place struct {
	url string
	pin seal.Pin
}

// line is the way to one hub.
type line struct {
	client *http.Client
	now    core.Clock

	mu     sync.Mutex
	rests  time.Time // guarded by mu: until then it is taken to be away
	failed bool      // guarded by mu: the last call was not answered
	trial  bool      // guarded by mu: one call finds out whether that is still so
}

func newLines(now core.Clock) *lines { return &lines{now: now, all: map[place]*line{}} }

// to returns the way to a hub, or errRests when it did not answer a moment ago.
func (l *lines) to(hub hubs.Hub) (*line, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := place{hub.URL, hub.Pin}
	found := l.all[at]
	if found == nil {
		if len(l.all) >= maxLines {
			l.drop()
		}
		found = &line{client: newClient(hub.Pin), now: l.now}
		l.all[at] = found
	}
	if !found.begin() {
		return nil, errRests
	}
	return found, nil
}

// drop forgets every line; l.mu is held. Calls under way go on.
func (l *lines) drop() {
	for at, line := range l.all {
		line.client.CloseIdleConnections()
		delete(l.all, at)
	}
}

func (l *lines) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop()
}

// begin reports whether a call may be made. After one that was not answered nobody waits for that hub
// for a moment, and then one caller at a time, until it answers.
func (l *line) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now().Before(l.rests) || l.failed && l.trial {
		return false
	}
	l.trial = l.failed
	return true
}

// works notes that the hub has answered.
func (l *line) works() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed, l.trial, l.rests = false, false, time.Time{}
}

// broke notes that it has not.
func (l *line) broke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed, l.trial, l.rests = true, false, l.now().Add(restTime)
}

// over lets another caller try after one that gave up by itself.
func (l *line) over() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trial = false
}

var errPin = errors.New("the hub shows another key than its row in the database says")

// newClient returns an HTTP client that talks to whoever shows the key of this pin.
func newClient(pin seal.Pin) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:     (&net.Dialer{Timeout: dialTime}).DialContext,
			TLSClientConfig: pinned(pin), TLSHandshakeTimeout: dialTime, ResponseHeaderTimeout: headerTime,
			IdleConnTimeout: idleTime, MaxIdleConnsPerHost: maxIdle, DisableCompression: true,
		},
	}
}

// pinned accepts one key, whatever else its certificate says: the pin comes from the store.
func pinned(pin seal.Pin) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, // what is verified is the key, below
		VerifyPeerCertificate: func(chain [][]byte, _ [][]*x509.Certificate) error {
			if len(chain) == 0 {
				return errPin
			}
			leaf, err := x509.ParseCertificate(chain[0])
			if err != nil || seal.PinOf(leaf.RawSubjectPublicKeyInfo) != pin {
				return errPin
			}
			return nil
		}}
}
