package handlers_test

import (
	"fmt"
	"slices"
	"strings"
)

// secretFields are the fields beside those for passwords of which nothing comes back, by name or by form and name.
var secretFields = map[string]string{
	"private_key":                          "a key that was pasted",
	"code":                                 "a code of a second factor, which is good once",
	"POST /repositories/{id}/secrets text": "values that are to be sealed",
	"POST /jobs/{id}/run text":             "values of variables for one run, which are sealed",
}

// hide marks the fields of a form of a row of which nothing comes back.
func (b blank) hide(row string) blank {
	hidden := b
	hidden.fields = slices.Clone(b.fields)
	for i, f := range b.fields {
		of, value := strings.CutPrefix(f.name, "value")
		tick, ticked := b.find(field{name: "secret" + of, kind: "checkbox", value: "on"})
		hidden.fields[i].secret = f.kind == "password" || secretFields[f.name] != "" || secretFields[row+" "+f.name] != "" || value && ticked && tick.on || f.stored
	}
	return hidden
}

// canary is in every secret that is typed.
const canary = "canary-of-a-secret"

// plausible is something that a field takes, as far as its name and kind tell; n makes it one of its own.
func plausible(f field, n int) string {
	if f.complete == "current-password" {
		return password
	}
	if f.name == "bootstrap_token" {
		return bootstrapToken
	}
	switch f.name {
	case "url":
		return fmt.Sprintf("https://git.example.com/team/app%d", n)
	case "path":
		return fmt.Sprintf("folder-%d", n)
	case "host":
		return "git.example.com"
	}
	switch f.kind {
	case "email":
		return fmt.Sprintf("kept-%d@example.org", n)
	case "number":
		return fmt.Sprint(n%50 + 1)
	case "date":
		return fmt.Sprintf("2026-02-%02d", n%27+1)
	case "password":
		return fmt.Sprintf("%s-%d", canary, n)
	}
	if f.secret {
		return fmt.Sprintf("%s-%d", canary, n)
	}
	return fmt.Sprintf("kept_%d", n)
}

// fill types something into every field that is not the way it was: other words, other options, other ticks.
func (b blank) fill() blank {
	filled := b
	filled.fields = slices.Clone(b.fields)
	for i, f := range filled.fields {
		switch {
		case !f.typed():
		case f.kind == "radio":
		case f.ticks():
			f.on = !f.on
		case f.kind == "select":
			f.value = f.options[len(f.options)-1]
		default:
			f.value = plausible(f, i)
		}
		filled.fields[i] = f
	}
	return filled
}

// wrongs are what people type that a field of a kind may refuse.
func wrongs(f field) []string {
	switch {
	case f.kind == "number":
		return []string{"seven", "-1", "99999999999"}
	case f.kind == "date":
		return []string{"yesterday", "2026-02-31"}
	case f.kind == "email":
		return []string{"nobody", "two@at@example.org"}
	case f.secret:
		return []string{canary, canary + "\x01", strings.Repeat(canary, 4000)}
	case f.kind == "textarea":
		return []string{"A='x", "not [ <one>", "../\x07", strings.Repeat("longer ", 9000) + "end"}
	}
	return []string{`Not <a> "name"`, "../\x07up", strings.Repeat("longer-", 700) + "end"}
}

// with is the form with one field that is wrong. Those that are empty beside it get something that they take.
func (b blank) with(name, wrong string) blank {
	filled := b
	filled.fields = slices.Clone(b.fields)
	_, optionalKey := b.find(field{name: "credential_id"})
	for i, f := range filled.fields {
		switch {
		case f.name != name && slices.Contains(exclusive, f.name) && slices.Contains(exclusive, name):
			filled.fields[i].value = ""
		case f.name == name && !f.ticks():
			filled.fields[i].value = wrong
		case f.typed() && !f.ticks() && f.kind != "select" && f.value == "" && (required(f) && !(f.name == "password" && optionalKey) || slices.Contains(together, f.name) && slices.Contains(together, name)):
			filled.fields[i].value = plausible(f, i)
		}
	}
	return filled
}

// exclusive are the names of fields of which one is given.
var exclusive = []string{"branch", "tag", "semver"}

// together are the names of fields that are given together or not at all.
var together = []string{"username", "password"}

// required reports whether a form without the field is refused for that alone, as its name tells.
func required(f field) bool {
	return slices.Contains([]string{"name", "email", "url", "path", "host", "private_key", "password", "new_password", "to", "port", "code", "bootstrap_token"}, f.name)
}
