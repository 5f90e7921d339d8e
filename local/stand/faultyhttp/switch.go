package faultyhttp

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fault answers a request badly.
type Fault func(w http.ResponseWriter, r *http.Request)

// Switch stands before a handler. The zero value lets everything through; set Handler before it serves.
type Switch struct {
	Handler http.Handler
	Latency time.Duration // passes before each answer; set before it serves

	mu     sync.Mutex
	faults []*rule
	asked  []string
}

// rule answers the requests that it is for.
type rule struct {
	on    string // the beginning of "METHOD /path"; "" is every request
	fault Fault
	left  int // how many more; below zero: all
}

// Always answers requests whose method and path begin with on by fault, until Heal.
func (s *Switch) Always(on string, fault Fault) { s.add(&rule{on, fault, -1}) }

// Once answers the next such request by fault.
func (s *Switch) Once(on string, fault Fault) { s.add(&rule{on, fault, 1}) }

func (s *Switch) add(r *rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, r)
}

// Heal ends all faults.
func (s *Switch) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// Asked returns "METHOD /path" of every request since the last call, in the order in which they came.
func (s *Switch) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// ServeHTTP implements http.Handler.
func (s *Switch) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := s.next(r.Method + " " + r.URL.Path)
	if s.Latency > 0 {
		timer := time.NewTimer(s.Latency)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
	}
	if fault != nil {
		fault(w, r)
		return
	}
	s.Handler.ServeHTTP(w, r)
}

// next notes a request and returns how it is to be answered; nil is well.
func (s *Switch) next(request string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, request)
	at := slices.IndexFunc(s.faults, func(r *rule) bool { return r.left != 0 && strings.HasPrefix(request, r.on) })
	if at < 0 {
		return nil
	}
	s.faults[at].left--
	return s.faults[at].fault
}
