package lambda

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"berth/core/config"
)

// Options are what a Handler needs; every field is required but those that say otherwise.
type Options struct {
	Form     config.EventForm
	BasePath string // "/berth": cut from the front of paths; empty: none
	Handler  http.Handler

	// Fail answers with err as a problem where the handler has no answer that can be sent. The
	// header that it finds is what the handler had set so far.
	Fail func(w http.ResponseWriter, r *http.Request, err error)
	// WithRequestID returns a context that carries the host's id of the request. Nil: nobody wants it.
	WithRequestID func(ctx context.Context, id string) context.Context

	Log *slog.Logger
}

// Handler answers events of one form. Everything in it is set once; it is safe for concurrent use.
type Handler struct {
	options Options
	size    size
	proxy   func(ctx context.Context, payload []byte) (reply, error)
}

// New returns a Handler. It fails when the form is unknown.
func New(o Options) (*Handler, error) {
	h := &Handler{options: o, size: sizes[o.Form]}
	switch o.Form {
	case config.EventRESTv1:
		h.proxy = h.rest(httpadapter.New(h))
	case config.EventHTTPv2, config.EventFunctionURL:
		h.proxy = h.http(httpadapter.NewV2(h))
	case config.EventALB:
		h.proxy = h.alb(httpadapter.NewALB(h))
	default:
		return nil, fmt.Errorf("there is no form of event %q", o.Form)
	}
	return h, nil
}

// Run takes events from the host until the process is ended; it does not return.
func (h *Handler) Run() { lambda.StartWithOptions(h) }

// Invoke answers one event with what the host is to send. An error means that the event is of
// another form than is configured; whatever a handler does is an answer.
func (h *Handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	answer, err := h.proxy(ctx, payload)
	if err != nil {
		h.options.Log.ErrorContext(ctx, "the event was not answered", "error", err)
		return nil, err
	}
	out := answer.encode()
	release(answer.body)
	return out, nil
}
