package websocket

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	ws "golang.org/x/net/websocket"

	"berth/hub/link"
)

const upgradeTimeout = 10 * time.Second

// Buffers of a link: messages that are larger go past them.
const (
	readBuffer  = 64
	writeBuffer = 64
)

// Upgrade makes a link of a request. It is the caller's, who may return from the request's handler and
// should: an HTTP server that waits for it holds some 20 KB for each. http.Server does not know of the
// connection any more; it has to be closed when the server stops. nil: w was answered.
//
// Who may have a link was decided before, by the handler around this one, which has no PeerKey afterwards: here only
// requests that are no upgrade to WebSocket 13 are refused (405, 426), and browsers (403).
func Upgrade(w http.ResponseWriter, r *http.Request) link.Conn {
	if refuse(w, r) {
		return nil
	}
	raw, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		problem(w, http.StatusInternalServerError, "link.no_upgrade", "This server cannot upgrade the connection.")
		return nil
	}
	raw.SetDeadline(time.Now().Add(upgradeTimeout))
	var c *conn
	server := ws.Server{
		Handshake: func(config *ws.Config, _ *http.Request) error {
			config.Protocol = nil // none is spoken, whatever was offered
			return nil
		},
		Handler: func(socket *ws.Conn) { c = newConn(socket, raw) },
	}
	request, buffers := *r, small(raw, buffered.Reader)
	server.ServeHTTP(taken{w, raw, buffers}, &request)
	request = http.Request{} // the library keeps it with the link, and never looks at it again; the token is in it
	if c == nil {
		raw.Close()
		return nil
	}
	c.socket.Config().Location = nil
	forgetPeer(raw)
	c.in, c.patient = buffers.Reader, patientBelow(raw)
	raw.SetDeadline(time.Time{})
	return c
}

// small replaces the HTTP server's buffers, which are larger than a link at rest needs.
func small(raw net.Conn, early *bufio.Reader) *bufio.ReadWriter {
	var from io.Reader = raw
	if n := early.Buffered(); n > 0 { // a worker waits for the answer before it goes on; another client may not
		begun, _ := early.Peek(n) // what is buffered is there
		from = io.MultiReader(bytes.NewReader(bytes.Clone(begun)), raw)
	}
	return bufio.NewReadWriter(bufio.NewReaderSize(from, readBuffer), bufio.NewWriterSize(raw, writeBuffer))
}

// taken is a ResponseWriter whose connection was hijacked already. The library would
// panic where hijacking fails.
type taken struct {
	http.ResponseWriter
	raw      net.Conn
	buffered *bufio.ReadWriter
}

// Hijack implements http.Hijacker.
func (t taken) Hijack() (net.Conn, *bufio.ReadWriter, error) { return kept{t.raw}, t.buffered, nil }

// kept is a connection that stays open when the library's handler, which closes it, returns.
type kept struct{ net.Conn }

// Close implements net.Conn.
func (kept) Close() error { return nil }

// refuse answers what is no upgrade by plain HTTP, before the library would by raw text.
func refuse(w http.ResponseWriter, r *http.Request) bool {
	has := func(name, token string) bool {
		return strings.Contains(strings.ToLower(strings.Join(r.Header.Values(name), ",")), token)
	}
	switch {
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		problem(w, http.StatusMethodNotAllowed, "link.method", "A link begins with GET.")
	case r.Header.Get("Origin") != "":
		// Every browser sets it for WebSockets; the library's own client leaves it empty.
		problem(w, http.StatusForbidden, "link.browser", "Links are for workers, not for web pages.")
	case r.ProtoMajor != 1 || !has("Connection", "upgrade") || !has("Upgrade", "websocket") ||
		r.Header.Get("Sec-WebSocket-Version") != ws.SupportedProtocolVersion || r.Header.Get("Sec-WebSocket-Key") == "":
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Sec-WebSocket-Version", ws.SupportedProtocolVersion)
		problem(w, http.StatusUpgradeRequired, "link.upgrade", "A link is a WebSocket of version 13 over HTTP/1.1.")
	default:
		return false
	}
	return true
}

func problem(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "code": code, "detail": detail,
	})
}
