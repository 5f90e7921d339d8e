package websocket

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	ws "golang.org/x/net/websocket"

	"berth/core/fault"
	"berth/core/wire"
)

// maxAnswer is what an HTTP answer of the server may take, headers included.
const maxAnswer = 64 << 10

// enrol asks by plain HTTP, because a WebSocket client learns no more of a refusal than
// that it was one. The connection stays as it is for the upgrade.
func (o DialOptions) enrol(over net.Conn, server *url.URL) (wire.Enrolled, error) {
	body, err := json.Marshal(o.Enrol)
	if err != nil {
		return wire.Enrolled{}, err
	}
	request, err := http.NewRequest(http.MethodPost, server.JoinPath(wire.EnrolPath).String(), bytes.NewReader(body))
	if err != nil {
		return wire.Enrolled{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "berth-worker")
	request.Header.Set(wire.TokenHeader, o.Token.Reveal())
	if err := request.Write(over); err != nil {
		return wire.Enrolled{}, noAnswer(server, err)
	}
	reader := bufio.NewReader(io.LimitReader(over, maxAnswer))
	answer, body, err := readAnswer(reader, request)
	if err != nil {
		return wire.Enrolled{}, noAnswer(server, err)
	}
	if answer.StatusCode != http.StatusOK {
		return wire.Enrolled{}, refused(answer, body, time.Now())
	}
	if answer.Close || reader.Buffered() > 0 {
		return wire.Enrolled{}, badAnswer(server, errors.New("the connection cannot be kept for the upgrade"))
	}
	enrolled, err := wire.DecodeEnrolled(body)
	if err != nil {
		return wire.Enrolled{}, badAnswer(server, err)
	}
	return enrolled, nil
}

func readAnswer(from *bufio.Reader, request *http.Request) (*http.Response, []byte, error) {
	answer, err := http.ReadResponse(from, request)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer, body, err
}

// upgrade makes the connection that a link runs on.
func (o DialOptions) upgrade(over net.Conn, server *url.URL) (*conn, error) {
	config := &ws.Config{
		Location: server.JoinPath(wire.LinkPath),
		Origin:   new(url.URL), // the library sends the header in any case; empty says: no browser
		Version:  ws.ProtocolVersionHybi13,
		Header:   http.Header{wire.TokenHeader: {o.Token.Reveal()}},
	}
	recorded := &recorder{Conn: inPieces{over}, recording: true}
	socket, err := ws.NewClient(config, recorded)
	config.Header = nil // the connection keeps config; the token has done its work
	if err != nil {
		return nil, recorded.refusal(server, err)
	}
	recorded.stop()
	return newConn(socket, over), nil
}

// maxPiece is how much a worker writes at once, in bytes: a record of it fits what the handshake made room for
// at the other end, so that nothing larger is ever held there.
const maxPiece = 1 << 10

// inPieces writes in small pieces. TLS makes a record of each, and who reads keeps, for as long as the
// connection lasts, a buffer as large as the largest record: here that is a hub with thousands of links.
type inPieces struct{ net.Conn }

// Write implements net.Conn.
func (c inPieces) Write(p []byte) (written int, err error) {
	for err == nil && written < len(p) {
		var n int
		n, err = c.Conn.Write(p[written:min(len(p), written+maxPiece)])
		written += n
	}
	return written, err
}

// recorder keeps the first bytes that are read, because the library drops the answer
// that refuses an upgrade. One goroutine reads.
type recorder struct {
	net.Conn
	recording bool
	seen      bytes.Buffer
}

// Read implements net.Conn.
func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	if r.recording {
		if r.seen.Len()+n > maxAnswer {
			return 0, fault.New(fault.TooLarge, "server.answer", "the server's answer is larger than %d bytes", maxAnswer)
		}
		r.seen.Write(p[:n])
	}
	return n, err
}

func (r *recorder) stop() {
	r.recording = false
	r.seen = bytes.Buffer{}
}

func (r *recorder) refusal(server *url.URL, cause error) error {
	if !errors.Is(cause, ws.ErrBadStatus) {
		return noAnswer(server, cause)
	}
	answer, body, err := readAnswer(bufio.NewReader(&r.seen), &http.Request{Method: http.MethodGet})
	if err != nil && answer == nil {
		return badAnswer(server, errors.Join(cause, err))
	}
	return refused(answer, body, time.Now())
}
