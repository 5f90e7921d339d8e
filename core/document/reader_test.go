package document

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
)

func sample() *Reader {
	return New(core.Document{
		Value: map[string]any{"name": "x", "when": "5m", "on": true, "mode": "b", "tags": []any{"p", "q"}, "list": []any{map[string]any{"file": "f"}, "text"},
			"part": map[string]any{"deep": map[string]any{"er": int64(7)}}},
		Lines: map[string]int{"name": 1, "list": 4, "list[0].file": 5, "list[1]": 6, "part": 8, "part.deep": 9},
	})
}

func TestValuesAreFoundByTheirPath(t *testing.T) {
	r := sample()
	for path, want := range map[string]any{"name": "x", "part.deep.er": int64(7), "list[0].file": "f", "list[1]": "text", "tags[1]": "q",
		"": nil, "none": nil, "none.er": nil, "name.er": nil, "name[0]": nil, "list[2]": nil, "list[-1]": nil, "list[x]": nil, "list[0].none": nil, "list[1].file": nil, "part.deep.er.x": nil} {
		if got := r.At(path); !reflect.DeepEqual(got, want) {
			t.Errorf("at %q is %v, want %v", path, got, want)
		}
	}
	var text, mode string
	var when time.Duration
	var on bool
	var tags []string
	r.Text("name", &text)
	r.Duration("when", &when, 0, time.Hour)
	r.Flag("on", &on)
	r.Texts("tags", &tags)
	Choice(r, "mode", &mode, "a", "b")
	if text != "x" || when != 5*time.Minute || !on || !reflect.DeepEqual(tags, []string{"p", "q"}) || mode != "b" || r.Fault("f", "a.b") != nil {
		t.Errorf("%q %v %v %v %q, %v", text, when, on, tags, mode, r.Fault("f", "a.b"))
	}
	mode, text = "a", "default"
	Choice(r, "none", &mode, "a", "b")
	r.Text("none", &text)
	if mode != "a" || text != "default" {
		t.Errorf("what is not there changed %q, %q", mode, text)
	}
}

func TestProblemsHaveTheLineOfWhatTheyLieIn(t *testing.T) {
	for path, want := range map[string]string{"name": "line 1: x", "list[0].file": "line 5: x", "list[0].none": "line 4: x", "list[1]": "line 6: x", "list[7]": "line 4: x",
		"part.deep.er": "line 9: x", "part.none": "line 8: x", "none": "x", "none.er[3]": "x"} {
		r := sample()
		r.Complain(path, "%s", "x")
		var f *fault.Error
		if err := r.Fault("a/f.yaml", "f.invalid"); !errors.As(err, &f) || f.Kind != fault.Invalid || f.Code != "f.invalid" || f.Fields[0] != (fault.Field{Path: path, Problem: want}) || f.Public != "a/f.yaml: "+path+": "+want {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestProblemsAreToldInOrderOfTheirLines(t *testing.T) {
	r := sample()
	r.Complain("part.deep.er", "three")
	r.Complain("name", "two")
	r.Complain("none", "one")
	r.Complain("name", "two again")
	want := []fault.Field{{Path: "none", Problem: "one"}, {Path: "name", Problem: "line 1: two"}, {Path: "name", Problem: "line 1: two again"}, {Path: "part.deep.er", Problem: "line 9: three"}}
	var f *fault.Error
	if err := r.Fault("f.yaml", "f.invalid"); !errors.As(err, &f) || !reflect.DeepEqual(f.Fields, want) {
		t.Fatalf("they are %v", f.Fields)
	}
	if text := "f.yaml has 4 problems:\nnone: one\nname: line 1: two\nname: line 1: two again\npart.deep.er: line 9: three"; f.Public != text {
		t.Errorf("it is told %q", f.Public)
	}
}

func TestSectionsRefuseWhatTheyDoNotKnow(t *testing.T) {
	for sentence, c := range map[string]struct {
		ask  func(*Reader) bool
		want string
	}{
		"all is known":         {func(r *Reader) bool { return r.Section("part", "deep") }, "true"},
		"nothing is there":     {func(r *Reader) bool { return r.Section("none", "deep") }, "false"},
		"a key is not known":   {func(r *Reader) bool { return r.Section("part", "er") }, "true f: part.deep: line 9: is not a known key; known are er"},
		"it is text":           {func(r *Reader) bool { return r.Section("name", "er") }, "false f: name: line 1: must be a mapping"},
		"of an item of a list": {func(r *Reader) bool { return r.Section("list[0]", "path") }, "true f: list[0].file: line 5: is not a known key; known are path"},
	} {
		r := sample()
		got := map[bool]string{true: "true", false: "false"}[c.ask(r)]
		if err := r.Fault("f", "f.invalid"); err != nil {
			got += " " + fault.PublicOf(err)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", sentence, got, c.want)
		}
	}
}
