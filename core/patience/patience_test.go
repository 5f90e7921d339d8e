package patience

import (
	"context"
	"testing"
	"time"
)

func TestPatienceTravelsWithItsContext(t *testing.T) {
	if limit, limited := Of(t.Context()); limited {
		t.Errorf("work that nobody looks at waits %v", limit)
	}
	ctx, stop := context.WithTimeout(With(t.Context(), time.Second), time.Hour)
	defer stop()
	if limit, limited := Of(ctx); limit != time.Second || !limited {
		t.Errorf("a request waits %v, limited %v", limit, limited)
	}
	if limit, _ := Of(With(ctx, Short)); limit != Short {
		t.Errorf("the later limit does not hold: %v", limit)
	}
}
