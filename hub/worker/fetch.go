package worker

import (
	"context"
	"errors"
	"sync"

	"berth/core"
	"berth/hub/worker/content"
)

// maxFetches is how many blobs of one command are on their way at the same time, so that
// many small files do not each cost a round trip.
const maxFetches = 8

// fetch brings blobs here, over as many links as it takes. It ends with the first
// failure that another link would not cure.
func (w *Worker) fetch(ctx context.Context, id core.CommandID, wants []content.Want) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	queue := make(chan content.Want)
	var fetchers sync.WaitGroup
	for range min(maxFetches, len(wants)) {
		fetchers.Go(func() {
			for want := range queue {
				if err := w.fetchOne(ctx, id, want); err != nil {
					stop(err)
				}
			}
		})
	}
	for _, want := range wants {
		select {
		case queue <- want:
		case <-ctx.Done():
		}
	}
	close(queue)
	fetchers.Wait()
	return context.Cause(ctx)
}

func (w *Worker) fetchOne(ctx context.Context, id core.CommandID, want content.Want) error {
	for {
		s, err := w.service.wait(ctx)
		if err != nil {
			return err
		}
		switch err := s.downloads.get(ctx, id, want); {
		case errors.Is(err, errNotAsked) && ctx.Err() == nil:
		case errors.Is(err, errLinkOver):
			if err := w.service.ended(ctx, s); err != nil {
				return err
			}
		default:
			return err
		}
	}
}
