package runtimeapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// invocation is one event under way.
type invocation struct {
	id       string
	event    []byte
	deadline time.Time
	done     chan result // buffered: whoever waits may have given up
}

type result struct {
	answer []byte
	err    error
}

// routes is the runtime API.
func (h *Host) routes() http.Handler {
	api := &api{host: h, under: map[string]*invocation{}}
	mux := http.NewServeMux()
	const prefix = "/2018-06-01/runtime/"
	mux.HandleFunc("GET "+prefix+"invocation/next", api.next)
	mux.HandleFunc("POST "+prefix+"invocation/{id}/response", api.response)
	mux.HandleFunc("POST "+prefix+"invocation/{id}/error", api.failure)
	return mux
}

type api struct {
	host *Host

	mu    sync.Mutex
	under map[string]*invocation // guarded by mu: by id
}

// next hands the next event to the instance, and waits for one.
func (a *api) next(w http.ResponseWriter, r *http.Request) {
	a.host.mu.Lock()
	running := a.host.instance
	a.host.mu.Unlock()
	if running == nil {
		http.Error(w, "there is no instance", http.StatusGone)
		return
	}
	now := time.Now()
	running.first.CompareAndSwap(nil, &now)
	select {
	case <-r.Context().Done():
	case call := <-running.next:
		a.mu.Lock()
		a.under[call.id] = call
		a.mu.Unlock()
		a.host.mu.Lock()
		a.host.handed++
		a.host.mu.Unlock()
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", call.id)
		w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(call.deadline.UnixMilli(), 10))
		w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:eu-central-1:123456789012:function:berth")
		w.Header().Set("Lambda-Runtime-Trace-Id", "Root=1-67891233-abcdef012345678912345678;Sampled=0")
		w.Header().Set("Content-Type", "application/json")
		w.Write(call.event)
	}
}

// ended takes an invocation whose end was told; nil when there is none, or it was told before.
func (a *api) ended(r *http.Request) *invocation {
	a.mu.Lock()
	defer a.mu.Unlock()
	call := a.under[r.PathValue("id")]
	delete(a.under, r.PathValue("id"))
	return call
}

// response takes an answer.
func (a *api) response(w http.ResponseWriter, r *http.Request) {
	call := a.ended(r)
	if call == nil {
		http.Error(w, "there is no such invocation", http.StatusBadRequest)
		return
	}
	answer, err := io.ReadAll(io.LimitReader(r.Body, maxPayload+1))
	switch {
	case err != nil:
		call.done <- result{err: err}
	case len(answer) > maxPayload:
		call.done <- result{err: &Failure{"too large", fmt.Sprintf("the answer has more than %d bytes", maxPayload)}}
		http.Error(w, `{"errorType":"RequestEntityTooLarge"}`, http.StatusRequestEntityTooLarge)
	default:
		w.WriteHeader(http.StatusAccepted)
		call.done <- result{answer: answer}
	}
}

// failure takes the word that there is no answer.
func (a *api) failure(w http.ResponseWriter, r *http.Request) {
	call := a.ended(r)
	if call == nil {
		http.Error(w, "there is no such invocation", http.StatusBadRequest)
		return
	}
	var said struct {
		Message string `json:"errorMessage"`
		Type    string `json:"errorType"`
	}
	err := json.NewDecoder(io.LimitReader(r.Body, maxPayload)).Decode(&said)
	w.WriteHeader(http.StatusAccepted)
	if err != nil {
		said.Message = "an error that cannot be read: " + err.Error()
	}
	call.done <- result{err: &Failure{"error", said.Type + ": " + said.Message}}
}
