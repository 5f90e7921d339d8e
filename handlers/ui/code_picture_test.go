package ui

import (
	"errors"
	"testing"
)

type madeCode struct {
	rows [][]bool
	err  error
}

func (m madeCode) Dots(string) ([][]bool, error) { return m.rows, m.err }

func TestACodeIsDrawnInRunsOfDarkDots(t *testing.T) {
	for name, c := range map[string]struct {
		made madeCode
		want codePicture
	}{
		"dots side by side are one shape": {madeCode{rows: [][]bool{{true, true, false}, {false, false, false}, {true, false, true}}},
			codePicture{11, "M4 4h2v1h-2ZM4 6h1v1h-1ZM6 6h1v1h-1Z"}},
		"what cannot be made is not drawn": {madeCode{err: errors.New("too long")}, codePicture{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := codeOf(c.made, "x"); got != c.want {
				t.Errorf("codeOf = %+v, want %+v", got, c.want)
			}
		})
	}
}
