package metrics

import (
	"bytes"

	"berth/core/hubs"
)

// HubDown says of a known hub that it did not answer a scrape. It stays for as long as a hub is
// remembered that died: see hubs.Remember. One that answers says so itself.
func HubDown(h hubs.Hub) []byte {
	f := hubUp(h.URL, 0)
	f.Text = labelled([]Family{f}, string(h.ID))[0].Text
	return append(header(f.Name, f.Type, f.Help), f.Text...)
}

func hubUp(url string, value float64) Family {
	return Family{Name: hubUpName, Type: TypeGauge, Text: appendSeries(nil, hubUpName, []Label{{"url", url}}, value), Series: 1,
		Help: "Whether the hub answered this scrape (1) or not (0). One that died stays as 0 for a day, or until a hub begins at the same URL."}
}

// labelled sets the label hub on every series of a hub's own.
func labelled(own []Family, hub string) []Family {
	if hub == "" {
		return own
	}
	label := []byte(`hub="` + valueEscapes.Replace(hub) + `"`)
	for i, f := range own {
		var text []byte
		for line := range bytes.Lines(f.Text) {
			text = appendLabelled(text, line, label)
		}
		own[i].Text = text
	}
	return own
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

const hubUpName = "berth_hub_up"
