package worker

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"berth/core"
	"berth/core/policy"
	"berth/core/wire"
	"berth/hub/worker/applied"
	"berth/hub/worker/content"
	"berth/hub/worker/journal"
)

// steps is what commands do to this host.
type steps struct {
	// Set once.
	engine    Engine
	content   *content.Store
	applied   *applied.Store
	journal   *journal.Journal
	composes  *os.Root // rendered Compose files for people; nil: none are written
	fetch     func(ctx context.Context, id core.CommandID, wants []content.Want) error
	digestKey []byte
	limits    *policy.Rules // the policy file of the host; nil: there is none
	self      string        // which worker this is, for LabelWorker
	now       core.Clock
	tally     *tally
	log       *slog.Logger
	life      context.Context // of commands: ends when the worker stops

	// shelf keeps the deletion of unused content apart from the moment in which a
	// command says what it is going to use.
	shelf sync.Mutex
}

func (s *steps) run(ctx context.Context, w *work) error {
	switch {
	case w.cmd.Kind == wire.CommandDeploy && w.cmd.Deploy != nil:
		return s.deploy(ctx, w, *w.cmd.Deploy)
	case w.cmd.Kind == wire.CommandTeardown && w.cmd.Teardown != nil:
		return s.teardown(ctx, w, *w.cmd.Teardown)
	case w.cmd.Kind == wire.CommandRun && w.run != nil:
		return s.container(ctx, w)
	}
	return fmt.Errorf("the worker does not know the command %q; it may be older than the hub", w.cmd.Kind)
}

// observed tells what runs of a stack; nil when the engine does not say.
func (s *steps) observed(ctx context.Context, stack core.StackID, project string) *wire.StackObserved {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	list, err := s.engine.Containers(ctx, project)
	if err != nil {
		return nil
	}
	seen := sightOf(list, s.applied.All(), nil).stack(stack)
	return &seen
}
