package api

import (
	"context"
	"io"
	"net/http"

	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableExporter gives the variables of a scope as .env text, secrets without values.
type VariableExporter interface {
	Export(ctx context.Context, o variables.Owner) (string, error)
}

// ExportVariables answers with the variables of ?scope= and ?scope_id= as .env text.
func ExportVariables(exporter VariableExporter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		q := r.URL.Query()
		text, err := exporter.Export(r.Context(), variables.Owner{Scope: variables.Scope(q.Get("scope")), ID: q.Get("scope_id")})
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="variables.env"`)
		io.WriteString(w, text) // a client that has gone needs no answer
		return nil
	})
}
