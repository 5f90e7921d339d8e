package worker

import (
	"context"
	"errors"

	"berth/core/fault"
	"berth/hub/worker/applied"
	"berth/hub/worker/content"
)

// provide brings the content of a deployment to this host. It is recorded as in use
// before anything of it is looked for, so that no other command deletes it meanwhile.
func (s *steps) provide(ctx context.Context, j *job, a applied.Attempt) error {
	release := s.content.Hold(a.Content)
	defer release()
	s.shelf.Lock()
	err := s.applied.Try(a)
	s.shelf.Unlock()
	if err != nil {
		return diskFault(err)
	}
	damaged, err := s.content.Mend(ctx, a.Content)
	if err != nil {
		return contentFault(ctx, err)
	}
	for _, source := range damaged {
		s.log.Warn("the files of a stack were damaged on this host; they are brought here again", "stack", a.Stack, "source", source)
		j.line("The files from " + source + " were damaged on this host and are brought here again. Containers that are not recreated see them once they are restarted.")
	}
	if wants := s.content.Missing(a.Content); len(wants) > 0 {
		if err := s.fetch(ctx, j.cmd.ID, wants); err != nil {
			return contentFault(ctx, err)
		}
	}
	return contentFault(ctx, s.content.Build(ctx, a.Content))
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
