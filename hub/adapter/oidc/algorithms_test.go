package oidc

import (
	"slices"
	"testing"
)

// TestAlgorithmsNeedAKeyThatOnlyTheProviderHas: none needs no key, and HS256 the client's secret, which two have.
func TestAlgorithmsNeedAKeyThatOnlyTheProviderHas(t *testing.T) {
	families := []string{"RS", "PS", "ES", "Ed"}
	for _, name := range algorithms {
		if !slices.Contains(families, name[:2]) {
			t.Errorf("%s is among them", name)
		}
	}
	if len(algorithms) != 10 {
		t.Errorf("there are %d", len(algorithms))
	}
}
