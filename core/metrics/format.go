package metrics

import "strings"

// Format is how an exposition is written.
type Format struct {
	OpenMetrics bool `json:"open_metrics,omitempty"` // OpenMetrics 1.0, else the text format 0.0.4
	Gzip        bool `json:"gzip,omitempty"`         // compressed, unless it is too small for that to pay: see Compressed
	// Hub is set as the label hub on the series of the hub itself, so that those of several can stand
	// in one exposition; empty: they have no such label.
	Hub string `json:"hub,omitempty"`
}

// ContentType is the media type of what is written.
func (f Format) ContentType() string {
	if f.OpenMetrics {
		return "application/openmetrics-text; version=1.0.0; charset=utf-8"
	}
	return "text/plain; version=0.0.4; charset=utf-8"
}

// head are the lines that begin a family, HELP and TYPE, in each format.
type head struct{ text, open []byte }

func newHead(name string, t Type, help string) head {
	text := header(name, t, help)
	return head{text, openHeader(text)}
}

// in returns the lines in a format.
func (h head) in(f Format) []byte {
	if f.OpenMetrics {
		return h.open
	}
	return h.text
}

// header returns the lines that begin a family, from those of the text format.
func (f Format) header(text []byte) []byte {
	if f.OpenMetrics {
		return openHeader(text)
	}
	return text
}

// ending is what follows the last family.
func (f Format) ending() []byte {
	if f.OpenMetrics {
		return []byte("# EOF\n")
	}
	return nil
}

// openHeader turns the HELP and TYPE lines of the text format into those of OpenMetrics, in which a
// counter and an info have names without the ending that their series have. The series of both formats
// are the same. A counter whose name does not end in _total cannot be one there.
func openHeader(text []byte) []byte {
	help, kind, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
	fields := strings.Fields(kind) // # TYPE name type
	if len(fields) != 4 {
		return text
	}
	name, t := fields[2], fields[3]
	family := name
	switch base, counter := strings.CutSuffix(name, "_total"); {
	case t == string(TypeCounter) && counter:
		family = base
	case t == string(TypeCounter), t == string(TypeUntyped):
		t = "unknown"
	case t == string(TypeGauge) && strings.HasSuffix(name, "_info"):
		family, t = strings.TrimSuffix(name, "_info"), "info"
	}
	help = strings.ReplaceAll(strings.TrimPrefix(help, "# HELP "+name+" "), `"`, `\"`)
	return []byte("# HELP " + family + " " + help + "\n# TYPE " + family + " " + t + "\n")
}
