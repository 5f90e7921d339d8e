package main

import (
	"slices"
	"testing"
)

// TestEachPageIsMeasuredOrSaidNotToBe: what is said not to be measured is a page.
func TestEachPageIsMeasuredOrSaidNotToBe(t *testing.T) {
	patterns := pagePatterns()
	for pattern := range unmeasured {
		if !slices.Contains(patterns, pattern) {
			t.Errorf("%s is no page", pattern)
		}
	}
	for _, p := range patterns {
		if p[0] != '/' {
			t.Errorf("%q is no address", p)
		}
	}
	got, ok := filled("/stacks/{id}/revisions/{number}", map[string]string{"/stacks/{id}": "stk_1", "/stacks/{id}/revisions/{number}": "1"})
	if _, found := filled("/jobs/{id}", nil); !ok || found || got != "/stacks/stk_1/revisions/1" {
		t.Errorf("%q, %t, %t", got, ok, found)
	}
	if !slices.Contains(patterns, "/") || len(patterns) < 50 {
		t.Errorf("only %d pages: %q", len(patterns), patterns)
	}
}
