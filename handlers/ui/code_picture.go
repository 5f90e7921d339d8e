package ui

import (
	"fmt"
	"strings"
)

// CodeMaker makes QR codes: rows of dots, dark ones true, without a margin; *qrcode.Maker does.
type CodeMaker interface {
	Dots(text string) ([][]bool, error)
}

// codePicture is a QR code as the outline of its dark dots. The zero value is no picture.
type codePicture struct {
	Size int // of the whole with its margin, in dots
	D    string
}

const codeMargin = 4 // dots, which the standard wants around a code

// codeOf draws the code of a text; where none can be made there is no picture, and the text is beside it anyhow.
func codeOf(maker CodeMaker, text string) codePicture {
	rows, err := maker.Dots(text)
	if err != nil {
		return codePicture{}
	}
	var d strings.Builder
	for y, row := range rows {
		for x := 0; x < len(row); x++ {
			from := x
			for x < len(row) && row[x] {
				x++
			}
			if x > from {
				fmt.Fprintf(&d, "M%d %dh%dv1h-%dZ", from+codeMargin, y+codeMargin, x-from, x-from)
			}
		}
	}
	return codePicture{Size: len(rows) + 2*codeMargin, D: d.String()}
}
