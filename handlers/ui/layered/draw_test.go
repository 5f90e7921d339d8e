package layered

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var measure = Measure{Width: 100, Height: 40, Across: 50, Beside: 10}

// TestDraw reads "a<b" as: b waits for a, which stands left of it.
func TestDraw(t *testing.T) {
	cases := map[string]struct {
		nodes, lines string
		want         []string // name@layer x,y
		width        int
		height       int
	}{
		"nothing":                           {"", "", nil, 0, 0},
		"one":                               {"a", "", []string{"a@0 0,0"}, 100, 40},
		"two that wait for nothing":         {"a b", "", []string{"a@0 0,0", "b@0 150,0"}, 250, 40},
		"four that wait for nothing":        {"a b c d", "", []string{"a@0 0,0", "b@0 150,0", "c@0 300,0", "d@0 0,50"}, 400, 90},
		"a chain":                           {"c b a", "a<b b<c", []string{"a@0 0,0", "b@1 150,0", "c@2 300,0"}, 400, 40},
		"two for one":                       {"db web work", "db<web db<work", []string{"db@0 0,25", "web@1 150,0", "work@1 150,50"}, 250, 90},
		"one for two":                       {"a b web", "a<web b<web", []string{"a@0 0,0", "b@0 0,50", "web@1 150,25"}, 250, 90},
		"a line passes a layer":             {"a b c", "a<b b<c a<c", []string{"a@0 0,11", "b@1 150,0", "c@2 300,11"}, 400, 62},
		"lines do not cross needlessly":     {"a b x y", "a<y b<x", []string{"a@0 0,0", "b@0 0,50", "y@1 150,0", "x@1 150,50"}, 250, 90},
		"one beside a pair":                 {"a b lone", "a<b", []string{"a@0 0,0", "b@1 150,0", "lone@0 0,60"}, 250, 100},
		"a circle is drawn":                 {"a b", "a<b b<a", []string{"a@0 0,0", "b@1 150,0"}, 250, 40},
		"a circle behind another":           {"a b c", "a<b b<c c<b", []string{"a@0 0,0", "b@1 150,0", "c@2 300,0"}, 400, 40},
		"what waits for itself or a ghost":  {"a", "a<a ghost<a", []string{"a@0 0,0"}, 100, 40},
		"the longest way decides the layer": {"a b c d", "a<d a<b b<c c<d", []string{"a@0 0,11", "b@1 150,0", "c@2 300,0", "d@3 450,11"}, 550, 62},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := Draw(strings.Fields(c.nodes), linesOf(c.lines), measure)
			var got []string
			for _, b := range d.Boxes {
				got = append(got, fmt.Sprintf("%s@%d %d,%d", b.Name, b.Layer, b.X, b.Y))
			}
			if !slices.Equal(got, c.want) || d.Width != c.width || d.Height != c.height {
				t.Errorf("%q in %d by %d, want %q in %d by %d", got, d.Width, d.Height, c.want, c.width, c.height)
			}
		})
	}
}

func TestLinesLeadFromBoxToBox(t *testing.T) {
	d := Draw([]string{"a", "b"}, []Line{{From: "a", To: "b", Kind: "k"}}, measure)
	want := []Line{{From: "a", To: "b", Kind: "k", Path: "M100 20C125 20 125 20 143 20", Tip: "M150 20l-7 -4v8Z"}}
	if !reflect.DeepEqual(d.Lines, want) {
		t.Errorf("lines are %+v, want %+v", d.Lines, want)
	}
	d = Draw([]string{"a", "b", "c"}, linesOf("a<b b<c a<c"), measure)
	if passing := d.Lines[2].Path; passing != "M100 31C125 31 125 56 150 56h100C275 56 275 31 293 31" {
		t.Errorf("the line that passes runs along %s", passing)
	}
}

// TestManyBoxesDoNotTouch draws graphs of each size that a stack may have, twice.
func TestManyBoxesDoNotTouch(t *testing.T) {
	for n := 1; n <= 40; n++ {
		var nodes []string
		var lines []Line
		for i := range n {
			nodes = append(nodes, fmt.Sprintf("s%02d", i))
			for _, before := range []int{i / 2, i - 3, i - 7} {
				if before >= 0 && before < i && i%5 != 4 {
					lines = append(lines, Line{From: nodes[before], To: nodes[i]})
				}
			}
		}
		d := Draw(nodes, lines, measure)
		if again := Draw(nodes, lines, measure); !reflect.DeepEqual(d, again) {
			t.Errorf("%d: two drawings of one graph differ", n)
		}
		apart(t, n, d)
	}
}

func apart(t *testing.T, n int, d Drawing) {
	t.Helper()
	at := map[string]Box{}
	for i, b := range d.Boxes {
		at[b.Name] = b
		if b.X < 0 || b.Y < 0 || b.X+measure.Width > d.Width || b.Y+measure.Height > d.Height {
			t.Errorf("%d: %+v is outside %d by %d", n, b, d.Width, d.Height)
		}
		for _, other := range d.Boxes[i+1:] {
			if b.X == other.X && b.Y < other.Y+measure.Height && other.Y < b.Y+measure.Height {
				t.Errorf("%d: %+v touches %+v", n, b, other)
			}
		}
	}
	if len(at) != n {
		t.Errorf("%d nodes have %d boxes", n, len(at))
	}
	for _, l := range d.Lines {
		if at[l.From].X >= at[l.To].X {
			t.Errorf("%d: the line from %s to %s leads back", n, l.From, l.To)
		}
	}
}

func linesOf(text string) (lines []Line) {
	for _, one := range strings.Fields(text) {
		from, to, _ := strings.Cut(one, "<")
		lines = append(lines, Line{From: from, To: to})
	}
	return lines
}
