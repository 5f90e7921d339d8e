package jobs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// field is one of the five fields of a cron text.
type field struct {
	name      string
	low, high int      // what * stands for
	most      int      // highest number that may be written
	names     []string // of low and those after it; nil: it has none
}

var fields = [5]field{
	{name: "minute", low: 0, high: 59, most: 59},
	{name: "hour", low: 0, high: 23, most: 23},
	{name: "day of the month", low: 1, high: 31, most: 31},
	{name: "month", low: 1, high: 12, most: 12, names: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{name: "day of the week", low: 0, high: 6, most: 7, names: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// parse reads one field: items with commas between them.
func (f field) parse(text string) (set uint64, err error) {
	for _, item := range strings.Split(text, ",") {
		add, err := f.item(item)
		if err != nil {
			return 0, err
		}
		set |= add
	}
	return set, nil
}

// item reads *, a value or a range, and the step that may follow it.
func (f field) item(text string) (set uint64, err error) {
	span, after, stepped := strings.Cut(text, "/")
	low, high, err := f.span(span)
	if err != nil {
		return 0, err
	}
	step := 1
	if stepped {
		if step, err = f.step(low, high, span, after); err != nil {
			return 0, err
		}
	}
	for v := low; v <= high; v += step {
		set |= 1 << v
	}
	return set, nil
}

func (f field) step(low, high int, span, after string) (int, error) {
	if low == high {
		return 0, fmt.Errorf("a step needs * or a range before it, such as %s-%d/%s", span, f.high, after)
	}
	step, ok := number(after)
	if !ok || step < 1 || step > f.high-f.low {
		return 0, fmt.Errorf("the step after / is a number from 1 to %d", f.high-f.low)
	}
	return step, nil
}

// span reads *, a value or a range.
func (f field) span(text string) (low, high int, err error) {
	if text == "*" {
		return f.low, f.high, nil
	}
	from, to, ranged := strings.Cut(text, "-")
	if low, err = f.value(from); err != nil || !ranged {
		return low, low, err
	}
	if high, err = f.value(to); err != nil {
		return 0, 0, err
	}
	if high == 0 && f.most == 7 && low > 0 {
		high = 7 // a week may end on Sunday
	}
	if high < low {
		return 0, 0, fmt.Errorf("the range runs backwards; write it as two: %s-%s,%s-%s", from, f.like(from, f.high), f.like(from, f.low), to)
	}
	return low, high, nil
}

// value reads a number or a name.
func (f field) value(text string) (int, error) {
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.low + i, nil
	}
	if v, ok := number(text); ok && v >= f.low && v <= f.most {
		return v, nil
	}
	if f.names != nil {
		return 0, fmt.Errorf("%.20q is neither from %d to %d nor from %s to %s", text, f.low, f.most, f.names[0], f.names[len(f.names)-1])
	}
	return 0, fmt.Errorf("%.20q is not a number from %d to %d", text, f.low, f.high)
}

// like returns a value as text: by its name, if sample is one.
func (f field) like(sample string, value int) string {
	if _, numeric := number(sample); numeric || f.names == nil {
		return strconv.Itoa(value)
	}
	return f.names[value-f.low]
}

// number reads one or two digits, and nothing else that strconv would take.
func number(text string) (int, bool) {
	if len(text) < 1 || len(text) > 2 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	v, err := strconv.Atoi(text)
	return v, err == nil
}
