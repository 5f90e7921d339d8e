package metrics

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

func TestJoinedChecksumsAreThoseOfTheWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		text := make([]byte, random.IntN(200_000))
		for i := range text {
			text[i] = byte(random.Uint32())
		}
		cut := random.IntN(len(text) + 1)
		got := joinCRC(crc32.ChecksumIEEE(text[:cut]), crc32.ChecksumIEEE(text[cut:]), shiftCRC(len(text)-cut))
		if want := crc32.ChecksumIEEE(text); got != want {
			t.Fatalf("%d and %d bytes: %08x, want %08x", cut, len(text)-cut, got, want)
		}
	}
}
