package secrets

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestValueNeverPrintsItself(t *testing.T) {
	const content = "correct horse"
	type holder struct {
		Public Value
		hidden Value
	}
	h := holder{NewValue(content), NewValue(content)}
	encoded, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "value", h.Public, "holder", h)
	for name, text := range map[string]string{
		"%v": fmt.Sprintf("%v", h), "%+v": fmt.Sprintf("%+v", h), "%#v": fmt.Sprintf("%#v", h), "%s": fmt.Sprintf("%s", h.Public),
		"%q": fmt.Sprintf("%q", h.Public), "%x": fmt.Sprintf("%x", h.Public), "pointer": fmt.Sprintf("%+v", &h),
		"json": string(encoded), "slog": log.String(),
	} {
		if strings.Contains(text, content) || strings.Contains(text, fmt.Sprintf("%x", content)) {
			t.Errorf("%s shows the content: %s", name, text)
		}
	}
	if h.hidden.Reveal() != content {
		t.Error("Reveal does not give the content")
	}
	var empty Value
	if !empty.Empty() || empty.Reveal() != "" {
		t.Error("the zero Value is not empty")
	}
}
