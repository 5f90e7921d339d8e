package endpoint

import (
	"encoding/json"
	"fmt"
	"net/http"

	"berth/core"
)

// Items is how a list looks in JSON.
type Items[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next"` // cursor for ?after=; empty: this was the last page
	// What of this page is stored and cannot be read, by name or identifier: it is not among the items.
	LeftOut []string `json:"left_out,omitempty"`
}

// JSON answers with v. It fails, with nothing written, when v does not encode.
func JSON(w http.ResponseWriter, status int, v any) error {
	return writeJSON(w, status, "application/json", v)
}

// NoContent answers 204.
func NoContent(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// List answers 200 with one page of a list, each item turned by show into its response type.
func List[T, R any](w http.ResponseWriter, list core.List[T], show func(T) R) error {
	items := make([]R, len(list.Items))
	for i, item := range list.Items {
		items[i] = show(item)
	}
	return JSON(w, http.StatusOK, Items[R]{Items: items, Next: list.Next, LeftOut: list.LeftOut})
}

func writeJSON(w http.ResponseWriter, status int, mediaType string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %T: %w", v, err)
	}
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(status)
	w.Write(append(body, '\n')) // a client that has gone needs no answer
	return nil
}
