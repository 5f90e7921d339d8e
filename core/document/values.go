package document

import (
	"slices"
	"strings"
	"time"
)

// MaxText is the length of a Text in bytes.
const MaxText = 200

// Limits of lists of texts.
const (
	maxItems = 100
	maxItem  = 1000 // bytes
)

// Text reads a short text.
func (r *Reader) Text(path string, dest *string) { r.LongText(path, dest, MaxText) }

// LongText reads a text of at most so many bytes.
func (r *Reader) LongText(path string, dest *string, most int) {
	switch v := r.At(path).(type) {
	case nil:
	case string:
		if len(v) > most {
			r.Complain(path, "at most %d characters", most)
		}
		*dest = v
	default:
		r.Complain(path, "must be text")
	}
}

// Duration reads a duration with its unit.
func (r *Reader) Duration(path string, dest *time.Duration, low, high time.Duration) {
	switch v := r.At(path).(type) {
	case nil:
	case string:
		d, err := time.ParseDuration(v)
		if err != nil || d < low || d > high {
			r.Complain(path, "must be a duration such as 90s, 3m or 1h, from %s to %s", short(low), short(high))
			return
		}
		*dest = d
	default:
		r.Complain(path, "must be a duration with its unit, such as 90s, 3m or 1h")
	}
}

// short writes a duration without the zeros at its end: 168h, not 168h0m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Flag reads true or false.
func (r *Reader) Flag(path string, dest *bool) {
	switch v := r.At(path).(type) {
	case nil:
	case bool:
		*dest = v
	default:
		r.Complain(path, "must be true or false")
	}
}

// Texts reads a list of texts, none of them empty.
func (r *Reader) Texts(path string, dest *[]string) {
	v := r.At(path)
	if v == nil {
		return
	}
	items, ok := v.([]any)
	if !ok || len(items) > maxItems {
		r.Complain(path, "must be a list of at most %d texts", maxItems)
		return
	}
	for _, item := range items {
		text, ok := item.(string)
		if !ok || text == "" || len(text) > maxItem {
			r.Complain(path, "must be a list of texts")
			return
		}
		*dest = append(*dest, text)
	}
}

// Choice reads one of the allowed texts.
func Choice[T ~string](r *Reader, path string, dest *T, allowed ...T) {
	v := r.At(path)
	if v == nil {
		return
	}
	text, _ := v.(string)
	if !slices.Contains(allowed, T(text)) {
		names := make([]string, len(allowed))
		for i, a := range allowed {
			names[i] = string(a)
		}
		r.Complain(path, "must be one of %s", strings.Join(names, ", "))
		return
	}
	*dest = T(text)
}
