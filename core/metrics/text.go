package metrics

import (
	"math"
	"strconv"
	"strings"
)

var (
	valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

// header returns the HELP and TYPE lines of a family.
func header(name string, t Type, help string) []byte {
	if help == "" {
		help = "Reported by workers."
	}
	return []byte("# HELP " + name + " " + helpEscapes.Replace(help) + "\n# TYPE " + name + " " + string(t) + "\n")
}

// appendSeries adds one line to b. labels are in the order in which they are written.
func appendSeries(b []byte, name string, labels []Label, value float64) []byte {
	b = appendLabels(append(b, name...), labels)
	if len(labels) > 0 {
		b = append(b, '}')
	}
	b = append(b, ' ')
	b = appendNumber(b, value)
	return append(b, '\n')
}

// appendLabels adds labels to b, and the brace before the first of them; others may follow.
func appendLabels(b []byte, labels []Label) []byte {
	separator := byte('{')
	for _, label := range labels {
		b = append(b, separator)
		b = append(b, label.Name...)
		b = append(b, '=', '"')
		b = append(b, valueEscapes.Replace(label.Value)...)
		b = append(b, '"')
		separator = ','
	}
	return b
}

func appendNumber(b []byte, value float64) []byte {
	switch {
	case math.IsInf(value, 1):
		return append(b, "+Inf"...)
	case math.IsInf(value, -1):
		return append(b, "-Inf"...)
	case value == math.Trunc(value) && math.Abs(value) < 1e15:
		return strconv.AppendInt(b, int64(value), 10)
	}
	return strconv.AppendFloat(b, value, 'g', -1, 64)
}
