package guard

import (
	"io"
	"net"
	"net/http"
	"time"
)

// atOnce is how many bytes of parts are handed over at once: the client has writeTime for each so many, so one
// that is slow must be able to read them within that.
const atOnce = 512 << 10

// WriteParts sends an answer from where its parts lie. On a plain TCP connection the system takes many of them with
// one call (writev), which net/http reaches by its ReadFrom alone.
func (a *answer) WriteParts(parts [][]byte) error {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	to, can := a.ResponseWriter.(io.ReaderFrom)
	for len(parts) > 0 {
		n := batch(parts)
		pieces := net.Buffers(parts[:n])
		parts = parts[n:]
		a.control.SetWriteDeadline(time.Now().Add(writeTime)) // as for Write
		var sent int64
		var err error
		if can {
			sent, err = to.ReadFrom(&pieces)
		} else {
			sent, err = pieces.WriteTo(a.ResponseWriter)
		}
		a.bytes += sent
		if err != nil {
			return err
		}
	}
	return nil
}

// batch returns how many of the first parts go at once: at least one.
func batch(parts [][]byte) int {
	bytes := 0
	for i, part := range parts {
		if bytes += len(part); bytes > atOnce {
			return max(i, 1)
		}
	}
	return len(parts)
}
