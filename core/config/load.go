package config

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxValue is the longest value of a variable, in bytes.
const maxValue = 16 << 10

// variable is what the tags of one field declare.
type variable struct {
	field                               int
	name, standard, derived             string
	required, form, unit, documentation string
	min, max                            int
}

// variables returns what the fields of a process's struct declare, in their order.
func variables(process reflect.Type) []variable {
	var all []variable
	for i := range process.NumField() {
		tag := process.Field(i).Tag
		least, _ := strconv.Atoi(tag.Get("min"))
		most, _ := strconv.Atoi(tag.Get("max"))
		all = append(all, variable{
			field: i, name: tag.Get("env"), standard: tag.Get("default"), derived: tag.Get("derived"),
			required: tag.Get("required"), form: tag.Get("form"), unit: tag.Get("unit"), documentation: tag.Get("doc"),
			min: least, max: most,
		})
	}
	return all
}

// load fills the fields of *process and returns every problem, in the order of the
// fields. A field whose variable has a problem keeps its zero value.
func load(process any, lookup func(string) (string, bool)) []Problem {
	fields := reflect.ValueOf(process).Elem()
	var problems []Problem
	for _, v := range variables(fields.Type()) {
		text, _ := lookup(v.name)
		if text == "" && v.required == "yes" {
			problems = append(problems, Problem{v.name, "is not set, and there is no default. " + v.documentation})
		}
		if text == "" {
			text = v.standard
		}
		if text == "" {
			continue
		}
		value, err := v.read(text)
		if err != nil {
			problems = append(problems, Problem{v.name, err.Error()})
			continue
		}
		fields.Field(v.field).Set(reflect.ValueOf(value))
	}
	return problems
}

// read turns the text into the field's type. The error never shows the text.
func (v variable) read(text string) (any, error) {
	if err := plain(text); err != nil {
		return nil, err
	}
	return forms[v.form](text, v)
}

// plain refuses what no variable may contain.
func plain(text string) error {
	switch {
	case len(text) > maxValue:
		return errors.New("is far too long; at most " + strconv.Itoa(maxValue) + " bytes are read")
	case !utf8.ValidString(text):
		return errors.New("is not valid UTF-8")
	case strings.TrimSpace(text) == "":
		return errors.New("consists of spaces; remove them, or remove the variable to get its default")
	case strings.TrimSpace(text) != text:
		return errors.New("has a space or line end before or after it; remove that")
	case strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("contains a line end or another control character; remove that")
	}
	return nil
}

// setDefault fills a field whose variable was not set.
func setDefault(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

// failed returns the names of the variables that have a problem.
func failed(problems []Problem) map[string]bool {
	names := map[string]bool{}
	for _, p := range problems {
		names[p.Name] = true
	}
	return names
}
