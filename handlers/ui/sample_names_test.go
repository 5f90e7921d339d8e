package ui

import (
	"context"

	"berth/core"
	"berth/core/fleet"
)

// sampleNames tells what things of samples are called.
type sampleNames struct{}

func (sampleNames) StackNames(_ context.Context, ids []core.StackID) (map[core.StackID]string, error) {
	return called(ids, "shop"), nil
}

func (sampleNames) JobNames(_ context.Context, ids []core.JobID) (map[core.JobID]string, error) {
	return called(ids, "backup"), nil
}

func (sampleNames) RepositoryNames(_ context.Context, ids []core.RepositoryID) (map[core.RepositoryID]string, error) {
	return called(ids, "apps"), nil
}

func (sampleNames) WorkersNamed(_ context.Context, ids []core.WorkerID) (found []fleet.Worker, err error) {
	for _, id := range ids {
		w := sampleWorkers()[0]
		for _, known := range sampleWorkers() {
			if known.ID == id {
				w = known
			}
		}
		w.ID = id
		found = append(found, w)
	}
	return found, nil
}

func called[ID ~string](ids []ID, name string) map[ID]string {
	names := map[ID]string{}
	for _, id := range ids {
		names[id] = name
	}
	return names
}
