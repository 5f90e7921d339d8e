// Package barelink is the least that net/http and x/net/websocket do for the links of workers: whoever comes is let
// in, what comes is read, and nothing of it is kept. Measurements put the server beside it.
package barelink

import (
	"encoding/json"
	"net/http"
	"time"

	"golang.org/x/net/websocket"

	"berth/core"
	"berth/core/wire"
)

// Routes enrols workers that send a heartbeat every beat, and takes their links.
func Routes(beat time.Duration) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+wire.EnrolPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(wire.Enrolled{WorkerID: core.WorkerID(core.NewID(core.PrefixWorker, time.Now())),
			HeartbeatSeconds: int(beat.Seconds()), Time: time.Now().UTC()}) // a worker that has gone needs no answer
	})
	mux.Handle("GET "+wire.LinkPath, websocket.Server{Handler: func(socket *websocket.Conn) { listen(socket, beat) }})
	return mux
}

// listen greets a worker that has said how it is, and then only listens.
func listen(socket *websocket.Conn, beat time.Duration) {
	var frame []byte
	if websocket.Message.Receive(socket, &frame) != nil {
		return
	}
	welcome, err := wire.Encode(wire.Welcome{Epoch: 1, HeartbeatSeconds: int(beat.Seconds()), Version: "bare", Changes: true, Settle: []wire.Instruction{}})
	if err != nil || websocket.Message.Send(socket, welcome) != nil {
		return
	}
	for websocket.Message.Receive(socket, &frame) == nil {
		frame = nil
	}
}
