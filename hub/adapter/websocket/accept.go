package websocket

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"time"

	ws "golang.org/x/net/websocket"

	"berth/hub/link"
)

const upgradeTimeout = 10 * time.Second

// Handler upgrades requests to links and hands each to accept, with the request that
// began it; the request's context has ended when accept was left. Handler blocks until
// accept returns, and then closes the connection. accept must return when the hub stops:
// http.Server does not know of the connection any more.
//
// Who may have a link was decided before, by the handler around this one: here only
// requests that are no upgrade to WebSocket 13 are refused (405, 426), and browsers (403).
func Handler(accept func(ctx context.Context, c link.Conn, r *http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuse(w, r) {
			return
		}
		raw, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			problem(w, http.StatusInternalServerError, "link.no_upgrade", "This server cannot upgrade the connection.")
			return
		}
		raw.SetDeadline(time.Now().Add(upgradeTimeout))
		server := ws.Server{
			Handshake: func(config *ws.Config, _ *http.Request) error {
				config.Protocol = nil // none is spoken, whatever was offered
				return nil
			},
			Handler: func(socket *ws.Conn) {
				raw.SetDeadline(time.Time{})
				c := newConn(socket, raw)
				defer c.Close()
				accept(r.Context(), c, r)
			},
		}
		server.ServeHTTP(taken{w, raw, buffered}, r)
	})
}

// taken is a ResponseWriter whose connection was hijacked already. The library would
// panic where hijacking fails.
type taken struct {
	http.ResponseWriter
	raw      net.Conn
	buffered *bufio.ReadWriter
}

// Hijack implements http.Hijacker.
func (t taken) Hijack() (net.Conn, *bufio.ReadWriter, error) { return t.raw, t.buffered, nil }

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
