package hub

import (
	"context"
	"time"
)

// Keys seals anew what was sealed with another than the active data key; *keys.Renewal does.
type Keys interface {
	Due(ctx context.Context) (made bool, err error)
	// Leave says that another hub does so from now on.
	Leave()
}

// renewEvery is how soon after a data key was added values begin to be sealed anew, and how soon that is
// tried again.
const renewEvery = 2 * time.Second

// renewKeys seals values anew when a data key was added, until ctx ends.
func (h *Hub) renewKeys(ctx context.Context) {
	if h.opts.Keys == nil {
		return
	}
	defer h.opts.Keys.Leave()
	for ctx.Err() == nil {
		err := error(nil)
		h.safely("data keys", func() { _, err = h.opts.Keys.Due(ctx) })
		pause := renewEvery
		if err != nil {
			pause = giveEvery
		}
		h.report("values cannot be sealed with the new data key; it is tried again", err, "in", pause)
		wait(ctx, pause)
	}
}
