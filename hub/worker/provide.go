package worker

import (
	"context"
	"errors"

	"berth/core"
	"berth/core/fault"
	"berth/hub/worker/content"
)

// provide brings content to this host. Before anything of it is looked for, note records it as in use, so
// that no other command deletes it meanwhile.
func (s *steps) provide(ctx context.Context, w *work, contents []core.Content, note func() error) error {
	release := s.content.Hold(contents)
	defer release()
	s.shelf.Lock()
	err := note()
	s.shelf.Unlock()
	if err != nil {
		return diskFault(err)
	}
	damaged, err := s.content.Mend(ctx, contents)
	if err != nil {
		return contentFault(ctx, err)
	}
	for _, source := range damaged {
		s.log.Warn("files of the repository were damaged on this host; they are brought here again", "for", w.about(), "source", source)
		w.line("The files from " + source + " were damaged on this host and are brought here again. Containers that are not recreated see them once they are restarted.")
	}
	if wants := s.content.Missing(contents); len(wants) > 0 {
		if err := s.fetch(ctx, w.cmd.ID, wants); err != nil {
			return contentFault(ctx, err)
		}
	}
	return contentFault(ctx, s.content.Build(ctx, contents))
}

func contentFault(ctx context.Context, err error) error {
	var f *fault.Error
	switch {
	case err == nil, errors.As(err, &f), ctx.Err() != nil:
		return err
	case errors.Is(err, content.ErrDamaged):
		return fault.New(fault.Unavailable, "content.damaged",
			"A file from the repository did not arrive as announced. Try again; if it stays so, the hub's stored content is damaged.").Because(err)
	}
	return diskFault(err)
}
