package main

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"berth/core/seal"
)

// A worker comes into service at the bare port, tells how it is, and the port ends with its input.
func TestWorkersFindTheBarePort(t *testing.T) {
	questions, ask := io.Pipe()
	answers, answer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- barePortAide(questions, answer) }()
	if err := json.NewEncoder(ask).Encode(bareQuestion{2}); err != nil {
		t.Fatal(err)
	}
	var at bareAnswer
	if err := json.NewDecoder(answers).Decode(&at); err != nil {
		t.Fatal(err)
	}
	life, end := context.WithCancel(t.Context())
	m := &meeting{}
	for i, text := range at.Tokens {
		token, err := seal.ParseToken(text)
		if err != nil {
			t.Fatal(err)
		}
		w, err := newLightWorker(at.URL, token, i)
		if err != nil {
			t.Fatal(err)
		}
		w.report = &reporter{number: i}
		over := make(chan struct{})
		go func() {
			defer close(over)
			w.run(life, m)
		}()
		defer func() { <-over }()
	}
	defer end()
	if err := m.reaches(t.Context(), 2, func() error { return nil }); err != nil {
		t.Error(err)
	}
	ask.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(at.Tokens) != 2 || len(m.others) > 0 {
		t.Errorf("%d tokens; other answers: %v", len(at.Tokens), m.others)
	}
}
