package endpoint

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTextIsCompressedWhereThatHelps(t *testing.T) {
	long := strings.Repeat("a line of a page\n", 200)
	for name, c := range map[string]struct {
		method, accept, text string
		packed               bool
	}{
		"a browser asks for a page":          {"GET", "gzip, deflate, br", long, true},
		"a client that says nothing":         {"GET", "", long, false},
		"a client that refuses it":           {"GET", "gzip;q=0, br", long, false},
		"a client that takes something else": {"GET", "br", long, false},
		"a text that is short":               {"GET", "gzip", "short", false},
		"the answer to a form":               {"POST", "gzip", long, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "/", nil)
			r.Header.Set("Accept-Encoding", c.accept)
			w := httptest.NewRecorder()
			WriteText(w, r, 201, []byte(c.text))
			if w.Code != 201 || w.Header().Get("Vary") != "Accept-Encoding" {
				t.Errorf("%d, Vary %q", w.Code, w.Header().Get("Vary"))
			}
			got := w.Body.Bytes()
			if packed := w.Header().Get("Content-Encoding") == "gzip"; packed != c.packed {
				t.Fatalf("compressed: %t", packed)
			}
			if c.packed {
				z, err := gzip.NewReader(bytes.NewReader(got))
				if err != nil {
					t.Fatal(err)
				}
				if len(got) > len(c.text)/4 {
					t.Errorf("%d bytes of %d", len(got), len(c.text))
				}
				if got, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			if string(got) != c.text {
				t.Errorf("%q", got)
			}
		})
	}
}
