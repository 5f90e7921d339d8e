package endpoint

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// LimitHeader says what the server's host could not give of what was asked. "stream": the answer
// is what there was, and whoever wants what follows asks again. "wait=26": it was held back for
// so many seconds at most, because the host would not have waited longer.
const LimitHeader = "X-Host-Limit"

// WithRoom returns a context whose request is answered by a host that sends an answer whole, and
// none whose body is larger than bytes, as a function host does.
func WithRoom(ctx context.Context, bytes int) context.Context {
	return context.WithValue(ctx, roomKey, bytes)
}

// Room returns how large a body may get on a host that sends answers whole; false when the host
// sends them as they come.
func Room(ctx context.Context) (bytes int, whole bool) {
	bytes, whole = ctx.Value(roomKey).(int)
	return bytes, whole
}

// SayUnstreamed tells that what follows will not come by itself.
func SayUnstreamed(w http.ResponseWriter) { w.Header().Set(LimitHeader, "stream") }

// lastWords is what of a request's time is kept for the answer.
const lastWords = time.Second

// WaitWithin returns how long r may really be held back: wait, or, with a word of it in the
// header, what the host's deadline leaves.
func WaitWithin(w http.ResponseWriter, r *http.Request, wait time.Duration) time.Duration {
	deadline, limited := r.Context().Deadline()
	left := max(0, time.Until(deadline)-lastWords)
	if !limited || wait <= left {
		return wait
	}
	w.Header().Set(LimitHeader, "wait="+strconv.Itoa(int(left/time.Second)))
	return left
}
