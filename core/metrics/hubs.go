package metrics

import (
	"bytes"

	"berth/core/hubs"
)

// HubDown says of a known hub that it did not answer a scrape. It stays for as long as a hub is
// remembered that died: see hubs.Remember. One that answers says so itself.
func HubDown(h hubs.Hub) []byte {
	line := appendSeries(nil, hubUpName, []Label{{"url", h.URL}}, 0)
	return append(header(hubUpName, TypeGauge, hubUpHelp), labelled(line, string(h.ID))...)
}

// labelled returns series of a hub's own with the label hub on each.
func labelled(series []byte, hub string) (text []byte) {
	label := []byte(`hub="` + valueEscapes.Replace(hub) + `"`)
	for line := range bytes.Lines(series) {
		text = appendLabelled(text, line, label)
	}
	return text
}

// appendLabelled adds a line to b with one label more.
func appendLabelled(b, line, label []byte) []byte {
	end := bytes.IndexAny(line, "{ ")
	b = append(b, line[:end]...)
	b = append(b, '{')
	b = append(b, label...)
	if line[end] == '{' {
		b = append(b, ',')
		return append(b, line[end+1:]...)
	}
	b = append(b, '}')
	return append(b, line[end:]...)
}

const (
	hubUpName = "berth_hub_up"
	hubUpHelp = "Whether the hub answered this scrape (1) or not (0). One that died stays as 0 for a day, or until a hub begins at the same URL."
)
