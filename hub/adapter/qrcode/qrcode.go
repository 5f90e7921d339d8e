// Package qrcode makes QR codes with rsc.io/qr.
package qrcode

import "rsc.io/qr"

// Maker makes QR codes; it has no state.
type Maker struct{}

// Dots returns the rows of the code of a text, each dark dot true, without the empty margin that readers
// need around them. Up to 15 % of the dots may be unreadable (level M). A text of more than 2,331 bytes is an error.
func (Maker) Dots(text string) ([][]bool, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return nil, err
	}
	rows := make([][]bool, code.Size)
	for y := range rows {
		rows[y] = make([]bool, code.Size)
		for x := range rows[y] {
			rows[y][x] = code.Black(x, y)
		}
	}
	return rows, nil
}
