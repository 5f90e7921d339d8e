package render

import (
	"fmt"
	"strings"
	"testing"

	"berth/core"
)

// projectOf returns a Compose file of n services with some twenty values each.
func projectOf(n int) string {
	var b strings.Builder
	b.WriteString("services:\n")
	for i := range n {
		fmt.Fprintf(&b, "  s%d:\n    image: nginx:${TAG}\n    ports: [\"%d:80\"]\n    environment: {A: \"1\", B: \"${S}\", C: \"$$x\"}\n", i, 8000+i)
		b.WriteString("    healthcheck: {test: [CMD, \"true\"], interval: 5s}\n    labels: {a: b}\n    restart: always\n    volumes: [\"./conf:/c:ro\"]\n")
	}
	return b.String()
}

func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%d services", n), func(b *testing.B) {
			b.ReportAllocs()
			src := core.ComposeSource{
				Project: "proj", Tree: commit(map[string]string{"compose.yaml": projectOf(n), "conf/a": "x"}),
				Variables: []core.ComposeVariable{plainVariable("TAG", "3"), secretVariable("S")},
			}
			for b.Loop() {
				if _, err := New().Read(b.Context(), src, func(string, []byte) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
