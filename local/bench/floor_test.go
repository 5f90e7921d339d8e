package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The floor answers with the very bytes, in the form that is asked for, and ends with its input.
func TestTheFloorAnswersWithWhatItWasGiven(t *testing.T) {
	files := map[string]string{}
	for i, encoding := range encodings {
		files[encoding] = filepath.Join(t.TempDir(), encoding)
		if err := os.WriteFile(files[encoding], []byte(strings.Repeat(encoding+"\n", 10_000*(i+1))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	questions, ask := io.Pipe()
	answers, answer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- floorAide(questions, answer) }()
	if err := json.NewEncoder(ask).Encode(floorQuestion{files["identity"], files["gzip"]}); err != nil {
		t.Fatal(err)
	}
	var at floorAnswer
	if err := json.NewDecoder(answers).Decode(&at); err != nil {
		t.Fatal(err)
	}
	s := newScraper(at.URL, "")
	for range 2 {
		for _, encoding := range encodings {
			var got strings.Builder
			took, n, err := s.scrape(t.Context(), encoding, &got)
			if err != nil || took <= 0 {
				t.Fatal(took, err)
			}
			if want, _ := os.ReadFile(files[encoding]); got.String() != string(want) || n != int64(len(want)) {
				t.Errorf("%s: %d bytes, want %d", encoding, n, len(want))
			}
		}
	}
	s.close()
	ask.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
