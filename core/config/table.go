package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Table returns the Markdown table of a process's variables, in the order of its
// fields, for the README. process is a Server or a Worker; its values don't matter.
func Table(process any) string {
	var text strings.Builder
	text.WriteString("| Variable | Required | Default | Unit | Meaning |\n|---|---|---|---|---|\n")
	for _, v := range variables(reflect.TypeOf(process)) {
		fmt.Fprintf(&text, "| `%s` | %s | %s | %s | %s |\n",
			v.name, orElse(v.required, "no"), v.shownDefault(), cell(v.unit), cell(v.documentation))
	}
	return text.String()
}

func (v variable) shownDefault() string {
	switch {
	case v.standard != "":
		return "`" + v.standard + "`"
	case v.derived != "":
		return cell(v.derived)
	}
	return "none"
}

// cell keeps a text inside one cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(orElse(text, "text"))
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
