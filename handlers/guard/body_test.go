package guard_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
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
}

// TestALargeBodyMustNotDrip: one of any size gets new time with each piece of it, and no more.
func TestALargeBodyMustNotDrip(t *testing.T) {
	const piece = 64 << 10
	rule := anyone
	rule.BodyLimit = guard.AnyBody
	for size, deadlinesSet := range map[int]int{3: 2, piece - 1: 2, 3*piece + 1: 5} {
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		protect(t, config("http://berth.test"), rule, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })).
			ServeHTTP(w, httptest.NewRequest("POST", "http://berth.test/", &fewBytes{left: size}))
		if len(w.set) != deadlinesSet || !w.set[len(w.set)-1].IsZero() {
			t.Errorf("%d bytes got deadlines %v", size, w.set)
		}
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

// TestAHandlerThatIsSilentAnswers200 in so many words, for hosts that take silence for a failure.
func TestAHandlerThatIsSilentAnswers200(t *testing.T) {
	w := httptest.NewRecorder()
	w.Code = 0
	protect(t, config("http://berth.test"), anyone, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, request("GET", "/"))
	if w.Code != 200 {
		t.Errorf("status %d", w.Code)
	}
}

// TestAClientThatReadsNothingIsCut, and one that comes back late on its connection is not. (A8)
func TestAClientThatReadsNothingIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe() // has no buffer: what is not read blocks
		handled := make(chan error, 1)
		server := &http.Server{Handler: protect(t, config("http://berth.test"), anyone, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/long":
				_, err := w.Write(make([]byte, 1<<20))
				handled <- err
			case "/short":
				w.Write([]byte("short"))
			case "/status":
				w.WriteHeader(http.StatusNoContent)
			}
		}))}
		port := &onePort{conns: make(chan net.Conn, 1)}
		port.conns <- ours
		var serving sync.WaitGroup
		serving.Go(func() { server.Serve(port) })
		read := bufio.NewReader(theirs)
		for _, path := range []string{"/short", "/status", "/nothing", "/short"} {
			fmt.Fprintf(theirs, "GET %s HTTP/1.1\r\nHost: berth.test\r\n\r\n", path)
			if answer, err := http.ReadResponse(read, nil); err != nil || answer.StatusCode >= 300 {
				t.Errorf("%s: %v, %v", path, answer, err)
			} else if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			time.Sleep(time.Minute) // of the bubble: longer than any deadline that was left
		}
		began := time.Now()
		fmt.Fprintf(theirs, "GET /long HTTP/1.1\r\nHost: berth.test\r\n\r\n")
		if err := <-handled; err == nil || time.Since(began) > 31*time.Second {
			t.Errorf("writing to nobody ended after %v with %v", time.Since(began), err)
		}
		server.Close()
		theirs.Close()
		serving.Wait()
	})
}

// onePort is a listener of connections that are handed to it.
type onePort struct {
	conns chan net.Conn
	once  sync.Once
}

func (p *onePort) Accept() (net.Conn, error) {
	conn, open := <-p.conns
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p *onePort) Close() error   { p.once.Do(func() { close(p.conns) }); return nil }
func (p *onePort) Addr() net.Addr { return &net.TCPAddr{} }

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
