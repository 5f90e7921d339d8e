package endpoint

import (
	"compress/gzip"
	"io"
	"net/http"
	"sync"
)

// packLeast is how long a text is at least, in bytes, that is worth compressing.
const packLeast = 1024

// packers are writers at a level that costs a page of 100 KB about a millisecond.
var packers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is one of the package's own
	}
	return z
}}

// WriteText answers with a text whose header says its type, compressed where the client takes that. An answer to a
// form is sent as it is: it may show a secret once beside what was typed, and the length of what is compressed
// tells whether the two are alike.
func WriteText(w http.ResponseWriter, r *http.Request, status int, text []byte) {
	w.Header().Add("Vary", "Accept-Encoding")
	if r.Method != http.MethodGet || len(text) < packLeast || !takesGzip(r.Header) {
		w.WriteHeader(status)
		w.Write(text) //nolint:errcheck // a client that has gone needs none
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(w)
	z.Write(text) //nolint:errcheck // as above
	z.Close()     //nolint:errcheck // as above
}

func takesGzip(h http.Header) (takes bool) {
	Weighed(h["Accept-Encoding"], func(name string, _ map[string]string, q float64) {
		takes = takes || name == "gzip" && q > 0
	})
	return takes
}
