package kill

import (
	"context"
	"net/http"
	"time"
)

// Ask asks the server, which may be gone: then there is an error and nothing is known. The
// answer of a status of 2xx is read into into, unless that is nil.
func (s *Site) Ask(method, path string, body, into any) (status int, err error) {
	return s.client.Ask(context.Background(), method, path, body, into)
}

// get reads what must be there while the server runs; being told to slow down is waited out.
func get[T any](s *Site, path string) T {
	s.T.Helper()
	var v T
	for end := time.Now().Add(patience); ; <-time.After(20 * time.Millisecond) {
		status, err := s.Ask(http.MethodGet, path, nil, &v)
		if err == nil {
			return v
		}
		if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable || time.Now().After(end) {
			s.T.Fatalf("%v\n%s", err, s.logs())
		}
	}
}
