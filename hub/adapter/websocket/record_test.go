package websocket

import (
	"slices"
	"testing"
)

func TestRecordsAreReadToTheirEnds(t *testing.T) {
	for name, c := range map[string]struct {
		stream []byte
		most   int // bytes that come at once
		want   []int
	}{
		"two records":            {[]byte{23, 3, 3, 0, 2, 'a', 'b', 23, 3, 3, 0, 1, 'c'}, 100, []int{5, 2, 5, 1}},
		"one that is empty":      {[]byte{23, 3, 3, 0, 0, 23, 3, 3, 0, 1, 'c'}, 100, []int{5, 5, 1}},
		"one by the byte":        {[]byte{23, 3, 3, 0, 2, 'a', 'b'}, 1, []int{1, 1, 1, 1, 1, 1, 1}},
		"one of 258 bytes":       {append([]byte{23, 3, 3, 1, 2}, make([]byte, 258)...), 200, []int{5, 200, 58}},
		"a header that is split": {[]byte{23, 3, 3, 0, 2, 'a', 'b'}, 3, []int{3, 2, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			var r record
			var got []int
			for len(c.stream) > 0 {
				n := min(r.left(), c.most, len(c.stream))
				if n < 1 {
					t.Fatalf("%d bytes are left of a record", n)
				}
				r.pass(c.stream[:n])
				got, c.stream = append(got, n), c.stream[n:]
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("read %v, want %v", got, c.want)
			}
		})
	}
}
