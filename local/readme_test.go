package main

import (
	"strings"
	"testing"

	"berth/core/coretest"
)

func TestREADMEListsTheVariablesAsTheyAre(t *testing.T) {
	var tables strings.Builder
	if code := run([]string{"variables"}, &tables, &tables); code != 0 {
		t.Fatalf("the command ended with %d", code)
	}
	coretest.GeneratedPart(t, "../README.md", "variables", "./local", tables.String())
}
