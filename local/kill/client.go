package kill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Ask asks the server, which may be gone: then there is an error and nothing is known. The
// answer of a status of 2xx is read into into, unless that is nil.
func (s *Site) Ask(method, path string, body, into any) (status int, err error) {
	content := []byte{}
	if body != nil {
		if content, err = json.Marshal(body); err != nil {
			return 0, err
		}
	}
	request, err := http.NewRequest(method, s.URL()+path, bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if s.Key != "" {
		request.Header.Set("X-Service-Api-Key", s.Key)
	}
	response, err := s.http.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil {
		return 0, err
	}
	if response.StatusCode/100 != 2 {
		return response.StatusCode, fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	if into == nil {
		return response.StatusCode, nil
	}
	return response.StatusCode, json.Unmarshal(text, into)
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
