package main

import "testing"

func TestSecretsAreMeasured(t *testing.T) {
	figures, err := measureSecrets(t.Context(), &bench{dir: t.TempDir(), options: options{runs: 1}})
	if err != nil || len(figures) != 14 {
		t.Errorf("%d figures, %v; cold and warm of seven shelves were wanted", len(figures), err)
	}
	for _, f := range figures {
		if f.result == "" || f.result == "-" {
			t.Errorf("%s has no result", f.name)
		}
	}
}
