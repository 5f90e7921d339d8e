package hubclient

import (
	"errors"
	"sync/atomic"
	"testing"
)

// TestAnswersOfAllHubsShareOneBound: however many hubs there are, no more is held of what they say.
func TestAnswersOfAllHubsShareOneBound(t *testing.T) {
	var left atomic.Int64
	left.Store(100)
	one, other := bounded{left: &left}, bounded{left: &left}
	for _, b := range []*bounded{&one, &other} {
		if n, err := b.Write(make([]byte, 50)); n != 50 || err != nil {
			t.Fatal(n, err)
		}
	}
	if n, err := other.Write([]byte("x")); n != 0 || !errors.Is(err, errTooMuch) {
		t.Errorf("a byte more: %d, %v", n, err)
	}
	if one.Len()+other.Len() != 100 {
		t.Errorf("%d bytes are held", one.Len()+other.Len())
	}
}
