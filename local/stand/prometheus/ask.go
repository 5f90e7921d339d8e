package prometheus

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
)

var client = http.Client{Timeout: within}

// Sample is one element of what an expression gave.
type Sample struct {
	Labels map[string]string
	Value  float64
}

// Target is a place that the server scrapes.
type Target struct {
	Labels    map[string]string
	ScrapeURL string
	Health    string // "up", "down", "unknown" before the first scrape
	LastError string
}

// Rule is one that the server evaluates.
type Rule struct {
	Name      string
	Type      string // "alerting" or "recording"
	State     string // of an alerting rule: "inactive", "pending", "firing"
	Health    string // "ok", "err", "unknown" before the first evaluation
	LastError string
}

// Query evaluates an expression now.
func (s *Server) Query(expression string) ([]Sample, error) {
	var data struct {
		Result []struct {
			Metric map[string]string
			Value  [2]any
		}
	}
	if err := s.ask("/query?"+url.Values{"query": {expression}}.Encode(), &data); err != nil {
		return nil, fmt.Errorf("%s: %w", expression, err)
	}
	samples := make([]Sample, len(data.Result))
	for i, r := range data.Result {
		text, _ := r.Value[1].(string) // what is none fails to parse
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", expression, err)
		}
		samples[i] = Sample{r.Metric, value}
	}
	return samples, nil
}

// Targets returns what is scraped.
func (s *Server) Targets() ([]Target, error) {
	var data struct{ ActiveTargets []Target }
	err := s.ask("/targets?state=active", &data)
	return data.ActiveTargets, err
}

// Rules returns all rules that are loaded.
func (s *Server) Rules() ([]Rule, error) {
	var data struct{ Groups []struct{ Rules []Rule } }
	err := s.ask("/rules", &data)
	var rules []Rule
	for _, group := range data.Groups {
		rules = append(rules, group.Rules...)
	}
	return rules, err
}

// ask reads an answer of the HTTP API.
func (s *Server) ask(path string, data any) error {
	answer, err := client.Get(s.URL + "/api/v1" + path)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said := struct {
		Status, Error string
		Data          any
	}{Data: data}
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		return err
	}
	if said.Status != "success" {
		return fmt.Errorf("%s: %s", answer.Status, said.Error)
	}
	return nil
}

// Until waits until something holds; the error that holds returns says why it does not yet.
func (s *Server) Until(t testing.TB, what string, holds func() error) {
	t.Helper()
	if err := s.Eventually(within, holds); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
