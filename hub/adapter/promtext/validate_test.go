package promtext

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"berth/core/metrics"
)

var set = []metrics.Label{{Name: "worker", Value: "wrk_1"}, {Name: "hostname", Value: `a"b`}}

const mark = `worker="wrk_1",hostname="a\"b"`

// render joins what Validate returns, so that cases can show it as text.
func render(families []metrics.Family) string {
	var b strings.Builder
	for _, f := range families {
		fmt.Fprintf(&b, "%s %s %q %d\n%s", f.Name, f.Type, f.Help, f.Series, f.Text)
	}
	return b.String()
}

func TestValidate(t *testing.T) {
	type drops = map[metrics.Reason]int
	cases := map[string]struct {
		text    string
		want    string // with @ for the labels that are set
		dropped drops
	}{
		"nothing": {"", "", nil},
		"families by name, with type and help": {
			"# HELP b Of b.\n# TYPE b counter\nb{x=\"1\"} 2\n# TYPE a gauge\na 1.5\n",
			"a gauge \"\" 1\na{@} 1.5\nb counter \"Of b.\" 1\nb{@,x=\"1\"} 2\n", nil},
		"no type is untyped":              {"a 1\n", "a untyped \"\" 1\na{@} 1\n", nil},
		"no line end at the end":          {"a 1", "a untyped \"\" 1\na{@} 1\n", nil},
		"line ends of another system":     {"a 1\r\nb 2\r\n", "a untyped \"\" 1\na{@} 1\nb untyped \"\" 1\nb{@} 2\n", nil},
		"time stamps go":                  {"a 1 1700000000000\n", "a untyped \"\" 1\na{@} 1\n", nil},
		"labels that are ours are ours":   {"a{worker=\"forged\",hostname=\"x\",z=\"1\"} 1\n", "a untyped \"\" 1\na{@,z=\"1\"} 1\n", nil},
		"forged labels make no twins":     {"a{worker=\"1\"} 1\na{worker=\"2\"} 2\n", "a untyped \"\" 1\na{@} 1\n", drops{metrics.Duplicate: 1}},
		"the same series twice":           {"a{x=\"1\",y=\"2\"} 1\na{y=\"2\",x=\"1\"} 2\n", "a untyped \"\" 1\na{@,x=\"1\",y=\"2\"} 1\n", drops{metrics.Duplicate: 1}},
		"labels that only look the same":  {"a{x=\"1\",y=\"\"} 1\na{x=\"1,y=\"} 2\n", "a untyped \"\" 2\na{@,x=\"1\",y=\"\"} 1\na{@,x=\"1,y=\"} 2\n", nil},
		"infinite and no numbers":         {"a{x=\"1\"} +Inf\na{x=\"2\"} NaN\n", "a untyped \"\" 2\na{@,x=\"1\"} +Inf\na{@,x=\"2\"} NaN\n", nil},
		"a garbage line":                  {"a 1\n\x00\x01 garbage !!\nb 2\n", "a untyped \"\" 1\na{@} 1\nb untyped \"\" 1\nb{@} 2\n", drops{metrics.Unreadable: 1}},
		"a label with a space":            {"# TYPE a gauge\na{x=\"1\"} 1\na{b c=\"1\"} 2\na{x=\"3\"} 3\n", "a gauge \"\" 2\na{@,x=\"1\"} 1\na{@,x=\"3\"} 3\n", drops{metrics.Unreadable: 1}},
		"a label that is not UTF-8":       {"a{x=\"\xff\"} 1\nb 2\n", "b untyped \"\" 1\nb{@} 2\n", drops{metrics.Unreadable: 1}},
		"a value that is no number":       {"a x\nb 2\n", "b untyped \"\" 1\nb{@} 2\n", drops{metrics.Unreadable: 1}},
		"a name that old readers refuse":  {"{\"a.b\"} 1\nb 2\n", "b untyped \"\" 1\nb{@} 2\n", drops{metrics.Unreadable: 1}},
		"a second type for a family":      {"# TYPE a gauge\na{x=\"1\"} 1\n# TYPE a counter\na{x=\"2\"} 2\n", "a gauge \"\" 2\na{@,x=\"1\"} 1\na{@,x=\"2\"} 2\n", drops{metrics.Unreadable: 1}},
		"an unknown type":                 {"# TYPE a wonder\na 1\n", "a untyped \"\" 1\na{@} 1\n", drops{metrics.Unreadable: 1}},
		"a bound that is no number":       {"# TYPE h histogram\nh_bucket{le=\"x\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n", "h histogram \"\" 3\nh_bucket{@,le=\"+Inf\"} 2\nh_sum{@} 3\nh_count{@} 2\n", drops{metrics.Unreadable: 1}},
		"a histogram that lost its count": {"# TYPE h histogram\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\na 1\n", "a untyped \"\" 1\na{@} 1\n", drops{metrics.Unreadable: 3}},
		"a bound twice":                   {"# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_bucket{le=\"1.0\"} 2\nh_sum 3\nh_count 2\n", "", drops{metrics.Unreadable: 5}},
		"a counter below zero":            {"# TYPE a counter\na{x=\"1\"} -3\na{x=\"2\"} NaN\na{x=\"3\"} 0\n", "a counter \"\" 1\na{@,x=\"3\"} 0\n", drops{metrics.Unreadable: 2}},
		"buckets out of order":            {"# TYPE h histogram\nh_bucket{le=\"2\"} 1\nh_bucket{le=\"1\"} 1\nh_sum 3\nh_count 2\n", "", drops{metrics.Unreadable: 5}},
		"buckets that fall":               {"# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"2\"} 1\nh_sum 3\nh_count 2\n", "", drops{metrics.Unreadable: 5}},
		"a quantile twice":                {"# TYPE s summary\ns{quantile=\"0.5\"} 1\ns{quantile=\"0.5\"} 1\ns_sum 2\ns_count 3\n", "", drops{metrics.Unreadable: 4}},
		"a quantile above 1":              {"# TYPE s summary\ns{quantile=\"5\"} 1\ns_sum 2\ns_count 3\n", "", drops{metrics.Unreadable: 3}},
		"an info that is not 1":           {"# TYPE a_info gauge\na_info{x=\"1\"} 7\na_info{x=\"2\"} 1\n", "a_info gauge \"\" 1\na_info{@,x=\"2\"} 1\n", drops{metrics.Unreadable: 1}},
		"the last bound is added":         {"# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 3\nh_count 2\n", "h histogram \"\" 4\nh_bucket{@,le=\"1\"} 1\nh_bucket{@,le=\"+Inf\"} 2\nh_sum{@} 3\nh_count{@} 2\n", nil},
		"a summary":                       {"# TYPE s summary\ns{quantile=\"0.5\"} 1\ns_sum 2\ns_count 3\n", "s summary \"\" 3\ns{@,quantile=\"0.5\"} 1\ns_sum{@} 2\ns_count{@} 3\n", nil},
		"a type without series":           {"# TYPE a gauge\nb 1\n", "b untyped \"\" 1\nb{@} 1\n", nil},
		"an open brace at the end":        {"a 1\nb{", "a untyped \"\" 1\na{@} 1\n", drops{metrics.Unreadable: 1}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			families, dropped := Validator{}.Validate(c.text, set)
			if got, want := render(families), strings.ReplaceAll(c.want, "@", mark); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if !maps.Equal(dropped, c.dropped) {
				t.Errorf("dropped %v, want %v", dropped, c.dropped)
			}
		})
	}
}

func TestOnlyTheLinesAtFaultAreLost(t *testing.T) {
	var b strings.Builder
	const lines = 1500
	for i := range lines {
		if i%3 == 0 {
			fmt.Fprintf(&b, "a{bad label=\"%d\"} 1\n", i)
			continue
		}
		fmt.Fprintf(&b, "a{x=\"%d\"} 1\n", i)
	}
	families, dropped := Validator{}.Validate(b.String(), set)
	if len(families) != 1 || families[0].Series != lines*2/3 || dropped[metrics.Unreadable] != lines/3 {
		t.Errorf("%d families, dropped %v", len(families), dropped)
	}
}

func TestSeriesAreLimited(t *testing.T) {
	var b strings.Builder
	for i := range metrics.MaxSeries + 7 {
		fmt.Fprintf(&b, "a{x=\"%d\"} 1\n", i)
	}
	families, dropped := Validator{}.Validate(b.String(), set)
	if len(families) != 1 || families[0].Series != metrics.MaxSeries || dropped[metrics.TooMany] != 7 {
		t.Errorf("%d series, dropped %v", families[0].Series, dropped)
	}
}

func TestLongLabelsAreLeftOut(t *testing.T) {
	fits, long := strings.Repeat("x", metrics.MaxLabel), strings.Repeat("x", metrics.MaxLabel+1)
	for name, c := range map[string]struct {
		text          string
		kept, dropped int
	}{
		"a value that fits":     {"a{x=\"" + fits + "\"} 1\n", 1, 0},
		"a value that does not": {"a{x=\"" + long + "\"} 1\na{x=\"1\"} 2\n", 1, 1},
		"one among several":     {"a{w=\"1\",x=\"" + long + "\",y=\"2\"} 1\na 2\n", 1, 1},
		"more when it is read":  {"a{x=\"" + strings.Repeat("\\n", metrics.MaxLabel) + "\"} 1\n", 1, 0},
		"a label's name":        {"a{" + long + "=\"1\"} 1\na 2\n", 1, 1},
		"a family's name":       {"# TYPE " + long + " gauge\n" + long + "{x=\"1\"} 1\n" + long + "{x=\"2\"} 1\nb 1\n", 1, 2},
		"a whole histogram":     {"# TYPE h histogram\nh_bucket{x=\"" + long + "\",le=\"+Inf\"} 2\nh_sum{x=\"" + long + "\"} 3\nh_count{x=\"" + long + "\"} 2\na 1\n", 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			families, dropped := Validator{}.Validate(c.text, set)
			kept := 0
			for _, f := range families {
				kept += f.Series
			}
			if kept != c.kept || dropped[metrics.TooLarge] != c.dropped || len(dropped) > 1 {
				t.Errorf("%d series, dropped %v", kept, dropped)
			}
		})
	}
}

func TestEndlessTextsAreCut(t *testing.T) {
	families, dropped := Validator{}.Validate(strings.Repeat("!\n", maxLines)+"a 1\nb 2\n", set)
	if len(families) != 0 || dropped[metrics.TooMany] != 2 || dropped[metrics.Unreadable] != maxLines {
		t.Errorf("%d families, dropped %v", len(families), dropped)
	}
}

// FuzzValidate: whatever a worker sends, what comes out reads and has the labels.
func FuzzValidate(f *testing.F) {
	for _, seed := range []string{"a 1\n", "# TYPE h histogram\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n", "# HELP a \\\n# TYPE a summary\na{quantile=\"0.5\"} 1\na_sum 1\na_count 2\n",
		"{\"a.b\",x=\"1\"} 1", "a{b c=\"\"} 1\nb 2", "# TYPE a gaugehistogram\na_bucket{le=\"1\"} 1\n", "a{x=\"\\n\"} 1e999 5\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		families, dropped := Validator{}.Validate(text, set)
		for reason, n := range dropped {
			if n < 1 {
				t.Errorf("dropped %d for %s", n, reason)
			}
		}
		var out strings.Builder
		series := 0
		for _, f := range families {
			if f.Series < 1 || !strings.HasSuffix(string(f.Text), "\n") || strings.Contains(string(f.Text), "\n\n") {
				t.Fatalf("family %s has %d series and text %q", f.Name, f.Series, f.Text)
			}
			for line := range strings.Lines(string(f.Text)) {
				series++
				if !strings.Contains(line, "{"+mark) {
					t.Errorf("line %q lacks the labels", line)
				}
			}
			fmt.Fprintf(&out, "# TYPE %s %s\n%s", f.Name, f.Type, f.Text)
		}
		if series > metrics.MaxSeries {
			t.Errorf("%d lines", series)
		}
		if _, bad := parse(out.String()); bad != 0 {
			t.Errorf("what came out of %q does not read:\n%s", text, out.String())
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	var text strings.Builder
	for family := range 40 {
		fmt.Fprintf(&text, "# HELP berth_x_%d Something.\n# TYPE berth_x_%d gauge\n", family, family)
		for i := range 5 {
			fmt.Fprintf(&text, "berth_x_%d{stack=\"stack-%d\",service=\"web\"} %d\n", family, i, i*1000)
		}
	}
	for b.Loop() {
		Validator{}.Validate(text.String(), set)
	}
}
