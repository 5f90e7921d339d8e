package guard

import (
	"net/http"
	"time"
)

// writeTime is how long a client may leave one piece of an answer unread. A client that
// reads nothing must not hold a handler for as long as it likes; one that reads slowly
// gets new time with every piece.
const writeTime = 30 * time.Second

// answer remembers what was answered and cuts clients that do not read it.
// http.ResponseController sees through it.
type answer struct {
	http.ResponseWriter
	control *http.ResponseController
	status  int // 0: none yet
	bytes   int64
}

func newAnswer(w http.ResponseWriter) *answer {
	return &answer{ResponseWriter: w, control: http.NewResponseController(w)}
}

// Unwrap returns the writer underneath, for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Began reports whether the status was sent already.
func (a *answer) Began() bool { return a.status != 0 }

// WriteHeader sends the status.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write sends content, and status 200 first when none was sent.
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	// Where there is no connection, there is no need for a deadline.
	a.control.SetWriteDeadline(time.Now().Add(writeTime))
	n, err := a.ResponseWriter.Write(b)
	a.bytes += int64(n)
	return n, err
}

// end sends status 200 when the handler sent nothing. net/http would do so by itself;
// a function host takes silence for a failure.
func (a *answer) end() {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
}
