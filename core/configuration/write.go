package configuration

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

const preface = `# The configuration of an installation of Berth: what it is made of, without what it has done.
# Names are what things are known by. A field that is left out has its default.
# Secrets are not in here. "secret: internal" is a value that is given to the server once; of vault and manager the
# reference stands here and the value stays there. Keys of repositories and of service accounts are named only.
# Workers enrol by themselves: they are listed so that others can refer to them.
`

// Write returns the file of a configuration. The same configuration gives the same bytes.
func Write(c Configuration) []byte {
	c.normal()
	w := &writer{}
	w.WriteString(preface)
	fmt.Fprintf(w, "version: %d\n", Version)
	section(w, SectionKeys, c.Keys, func(k Key) { w.item("name", k.Name, k.parts()) })
	section(w, SectionHosts, c.Hosts, func(h Host) { w.item("address", h.Address, h.parts()) })
	section(w, SectionRepositories, c.Repositories, func(r Repository) { w.item("name", r.Name, r.written()) })
	section(w, SectionIntegrations, c.Integrations, func(i Integration) { w.item("slug", i.Slug, i.parts()) })
	section(w, SectionVariables, c.Variables, func(v Variable) { w.item("name", v.Name, v.parts()) })
	section(w, SectionWorkers, c.Workers, func(one Worker) { w.item("name", one.Name, one.parts()) })
	section(w, SectionPolicies, c.Policies, func(p Policy) { w.item("for", p.For, p.parts()) })
	section(w, SectionStacks, c.Stacks, func(s Stack) { w.item("name", s.Name, s.parts()); w.variables(s.Variables) })
	section(w, SectionJobs, c.Jobs, func(j Job) { w.item("name", j.Name, j.parts()); w.variables(j.Variables) })
	section(w, SectionAccounts, c.Accounts, func(a Account) { w.item("name", a.Name, a.parts()) })
	section(w, SectionUsers, c.Users, func(u User) { w.item("email", u.Email, u.parts()) })
	return w.Bytes()
}

// writer writes block mappings; indent is how far the present item stands in.
type writer struct {
	bytes.Buffer
	indent int
}

func section[T any](w *writer, name Section, all []T, item func(T)) {
	if len(all) == 0 {
		fmt.Fprintf(w, "\n%s: []\n", name)
		return
	}
	fmt.Fprintf(w, "\n%s:\n", name)
	w.indent = 2
	for _, one := range all {
		item(one)
	}
}

// item writes one item of a list: its name first.
func (w *writer) item(key, name string, fields parts) {
	w.pad(0)
	w.WriteString("- ")
	w.scalar(key, name, w.indent+4)
	for _, p := range fields {
		w.pad(2)
		w.part(p)
	}
}

func (w *writer) part(p part) {
	switch v := p.value.(type) {
	case string:
		w.scalar(p.name, v, w.indent+4)
	case bool:
		fmt.Fprintf(w, "%s: %t\n", p.name, v)
	case []string:
		fmt.Fprintf(w, "%s:\n", p.name)
		for _, text := range v {
			w.pad(4)
			w.WriteString("- " + quoted(text) + "\n")
		}
	case []limit:
		fmt.Fprintf(w, "%s:\n", p.name)
		w.nested(func() {
			for _, l := range v {
				w.pad(2)
				if len(l.entries) == 0 {
					fmt.Fprintf(w, "%s: []\n", l.name)
					continue
				}
				w.part(part{l.name, l.entries})
			}
		})
	case parts:
		fmt.Fprintf(w, "%s:\n", p.name)
		w.nested(func() {
			for _, one := range v {
				w.pad(2)
				w.part(one)
			}
		})
	case []Setting:
		fmt.Fprintf(w, "%s:\n", p.name)
		for _, s := range v {
			w.pad(4)
			w.scalar(quoted(s.Name), s.Value, w.indent+6)
		}
	}
}

// nested writes what stands two deeper.
func (w *writer) nested(write func()) {
	w.indent += 2
	write()
	w.indent -= 2
}

// variables writes those of a stack or job below it.
func (w *writer) variables(all []Variable) {
	if len(all) == 0 {
		return
	}
	w.pad(2)
	w.WriteString("variables:\n")
	w.indent += 4
	for _, v := range all {
		w.item("name", v.Name, v.parts())
	}
	w.indent -= 4
}

func (w *writer) pad(more int) { w.WriteString(strings.Repeat(" ", w.indent+more)) }

// scalar writes a key with its text; text of several lines as a block where its bytes come back from that.
func (w *writer) scalar(key, text string, block int) {
	if !blocky(text) {
		fmt.Fprintf(w, "%s: %s\n", key, quoted(text))
		return
	}
	body, ends := strings.CutSuffix(text, "\n")
	mark := "|-"
	if ends {
		mark = "|"
	}
	fmt.Fprintf(w, "%s: %s\n", key, mark)
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			w.WriteString(strings.Repeat(" ", block) + line)
		}
		w.WriteByte('\n')
	}
}

// blocky reports whether a text has several lines, and such that every reader takes the same from a block.
func blocky(text string) bool {
	body := strings.TrimSuffix(text, "\n")
	if !strings.Contains(body, "\n") || strings.HasSuffix(body, "\n") || body[0] == ' ' || body[0] == '\n' {
		return false
	}
	for line := range strings.SplitSeq(body, "\n") {
		if strings.TrimSpace(line) == "" && line != "" {
			return false
		}
	}
	return !strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) })
}

// quoted writes text as a scalar of one line: as it is where nobody could take it for something else, in double
// quotes otherwise. The escapes of Go are escapes of YAML too.
func quoted(text string) string {
	if plain(text) {
		return text
	}
	return strconv.Quote(text)
}

// words are plain scalars that some reader takes for something else than text.
var words = map[string]bool{"null": true, "true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true, "nan": true, "inf": true}

// plain reports whether a text can stand without quotes. It begins with a letter, and has nothing in it that
// would mean something there.
func plain(text string) bool {
	if text == "" || words[strings.ToLower(text)] || len(text) > 200 {
		return false
	}
	for i, c := range []byte(text) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9') && !strings.ContainsRune("-_./+=@ :", rune(c))) {
			return false
		}
		if c == ':' && (i == len(text)-1 || text[i+1] == ' ') || c == ' ' && i == len(text)-1 {
			return false
		}
	}
	return true
}
