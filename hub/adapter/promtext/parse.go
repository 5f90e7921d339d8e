package promtext

import (
	"errors"
	"strings"
	"sync"

	"berth/core/metrics"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// maxRepairs bounds how often a text is read again after taking out a line that is good
// alone but not where it stands.
const maxRepairs = 16

// maxLines bounds the work that a hostile text makes: comments and all, no snapshot
// within the limit of series has so many.
const maxLines = 4 * metrics.MaxSeries

// cut shortens text to maxLines and returns how many lines went.
func cut(text string) (string, int) {
	end := 0
	for range maxLines {
		next := strings.IndexByte(text[end:], '\n')
		if next < 0 {
			return text, 0
		}
		end += next + 1
	}
	return text[:end], strings.Count(text[end:], "\n")
}

// parsers are ready to read again: each has a buffer.
var parsers = sync.Pool{New: func() any {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	return &parser
}}

// parse reads text and returns its families and how many lines were taken out of it. The
// reader gives up at the first bad line, so a text that does not read as a whole is read
// again without the lines that are bad alone, and then without each at which it stops.
func parse(text string) (map[string]*dto.MetricFamily, int) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	parser := parsers.Get().(*expfmt.TextParser)
	defer parsers.Put(parser)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err == nil {
		return families, 0
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	good := lines[:0]
	for _, line := range lines {
		if readable(parser, line) {
			good = append(good, line)
		}
	}
	taken := len(lines) - len(good)
	for range maxRepairs {
		families, err = parser.TextToMetricFamilies(strings.NewReader(strings.Join(good, "")))
		if err == nil {
			return families, taken
		}
		var at expfmt.ParseError
		if !errors.As(err, &at) || at.Line < 1 || at.Line > len(good) {
			break
		}
		good = append(good[:at.Line-1], good[at.Line:]...)
		taken++
	}
	return nil, taken + len(good)
}

// readable reports whether a line reads alone; comments always do.
func readable(parser *expfmt.TextParser, line string) bool {
	if strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
		return true
	}
	_, err := parser.TextToMetricFamilies(strings.NewReader(line))
	return err == nil
}
