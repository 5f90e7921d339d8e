package qrcode_test

import (
	"strings"
	"testing"

	"berth/hub/adapter/qrcode"
)

// finder is the square in three corners by which a reader finds a code.
var finder = []string{"#######", "#     #", "# ### #", "# ### #", "# ### #", "#     #", "#######"}

func TestACodeHasThreeSquaresAndGrowsWithItsText(t *testing.T) {
	size := 0
	for _, text := range []string{"a", strings.Repeat("otpauth://totp/", 10)} {
		rows, err := qrcode.Maker{}.Dots(text)
		if err != nil {
			t.Fatal(err)
		}
		n := len(rows)
		if n <= size || n%4 != 1 {
			t.Errorf("the code of %d bytes has %d rows", len(text), n)
		}
		size = n
		for corner, at := range map[string][2]int{"top left": {0, 0}, "top right": {0, n - 7}, "bottom left": {n - 7, 0}} {
			for y, want := range finder {
				if got := drawn(rows[at[0]+y][at[1] : at[1]+7]); got != want {
					t.Errorf("%s, row %d: %q, want %q", corner, y, got, want)
				}
			}
		}
	}
}

func drawn(dots []bool) string {
	text := ""
	for _, dark := range dots {
		text += map[bool]string{true: "#", false: " "}[dark]
	}
	return text
}

func TestATextThatNoCodeHoldsIsRefused(t *testing.T) {
	if _, err := (qrcode.Maker{}).Dots(strings.Repeat("x", 2332)); err == nil {
		t.Error("2,332 bytes are taken")
	}
	if _, err := (qrcode.Maker{}).Dots(strings.Repeat("x", 2331)); err != nil {
		t.Error(err)
	}
}
