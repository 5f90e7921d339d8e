package exposition

import (
	"slices"
	"strings"
)

// wholeEach is how often an exposition is told whole, so that whoever lost a change has it again.
const wholeEach = 10

// Changes tells a series of expositions by what changed from one to the next. Its zero value is ready.
type Changes struct {
	told  map[string]string // what was told last of each family, by name; nil: nothing
	count int               // since the last whole one
}

// Next returns what to tell of an exposition that Text wrote: all of it, or, when changes is true, only
// the families that are not as they were, and the names of those that are no more.
func (c *Changes) Next(text string) (tell string, changes bool, ended []string) {
	now := familiesOf(text)
	last := c.told
	c.told = now
	if c.count--; last == nil || c.count < 0 {
		c.count = wholeEach - 1
		return text, false, nil
	}
	var b strings.Builder
	for name := range last {
		if _, still := now[name]; !still {
			ended = append(ended, name)
		}
	}
	slices.Sort(ended)
	for rest := text; rest != ""; {
		var name, family string
		name, family, rest = cutFamily(rest)
		if last[name] != family {
			b.WriteString(family)
		}
	}
	return b.String(), true, ended
}

// Lost makes the next exposition a whole one: the last was not told after all.
func (c *Changes) Lost() { c.told = nil }

const beginning = "# HELP "

// familiesOf returns the families of an exposition by name.
func familiesOf(text string) map[string]string {
	families := map[string]string{}
	for text != "" {
		var name, family string
		name, family, text = cutFamily(text)
		families[name] = family
	}
	return families
}

// cutFamily returns the first family of an exposition and what follows it.
func cutFamily(text string) (name, family, rest string) {
	end := len(text)
	if i := strings.Index(text, "\n"+beginning); i >= 0 {
		end = i + 1
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(text, beginning), " ")
	return name, text[:end], text[end:]
}
