package guard_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"berth/handlers/guard"
)

// deadlines is an answer on a connection whose read deadline can be watched.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// TestABodyMustArriveInTime: reading gets a deadline that goes once the body has come, so
// that what follows may take as long as it needs. (A8)
func TestABodyMustArriveInTime(t *testing.T) {
	h := protect(t, config("http://berth.test"), anyone, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }))
	r := httptest.NewRequest("POST", "http://berth.test/", bufio.NewReader(&fewBytes{left: 3}))
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	began := time.Now()
	h.ServeHTTP(w, r)
	if len(w.set) != 2 || w.set[0].Sub(began) < 9*time.Second || w.set[0].Sub(began) > 11*time.Second || !w.set[1].IsZero() {
		t.Errorf("deadlines were %v from %v", w.set, began)
	}
	rule := anyone
	rule.BodyLimit = guard.AnyBody
	w = &deadlines{ResponseRecorder: httptest.NewRecorder()}
	protect(t, config("http://berth.test"), rule, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })).
		ServeHTTP(w, httptest.NewRequest("POST", "http://berth.test/", &fewBytes{left: 3}))
	if len(w.set) != 0 {
		t.Errorf("a route with its own care got deadlines %v", w.set)
	}
}

// fewBytes gives one byte with each read.
type fewBytes struct{ left int }

func (f *fewBytes) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	f.left--
	p[0] = 'x'
	return 1, nil
}

// TestDeadlinesReachARealConnection proves that the guard's own wrapping does not hide the
// connection from http.ResponseController, nor flushing from handlers.
func TestDeadlinesReachARealConnection(t *testing.T) {
	server := httptest.NewServer(protect(t, config("http://berth.test"), anyone, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		fmt.Fprintf(w, "%v %v", control.SetReadDeadline(time.Now().Add(time.Hour)), control.Flush())
	})))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET / HTTP/1.0\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "<nil> <nil>" {
		t.Errorf("%q, %v", text, err)
	}
}
