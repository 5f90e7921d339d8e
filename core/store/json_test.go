package store_test

import (
	"encoding/json"
	"testing"
)

// jsonOf is v as the store writes it.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
