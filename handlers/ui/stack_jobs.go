package ui

import (
	"context"
	"net/url"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

// FolderJobs lists jobs by name.
type FolderJobs interface {
	Jobs(ctx context.Context, f jobs.Filter, ask core.Page) (core.List[jobs.Job], error)
}

// shownStackJobs is how many of its jobs a stack's page lists.
const shownStackJobs = 10

// stackJobs are the jobs that belong to a stack: those of its folder, and of folders below that.
type stackJobs struct {
	Lines []jobLine
	All   string // address of all of them; empty: all are shown here
	Waits bool   // a deployment waits for those that run
}

func stackJobsOf(ctx context.Context, lister FolderJobs, s stacks.Stack, m stacks.Manifest, now time.Time) (stackJobs, error) {
	list, err := lister.Jobs(ctx, jobs.Filter{Repository: s.Repository, Folder: s.Path}, core.Page{Limit: shownStackJobs})
	found := stackJobs{Waits: m.WaitRunning}
	for _, j := range list.Items {
		found.Lines = append(found.Lines, jobLineOf(j, nil, now, hubIn(ctx)))
	}
	if list.Next != "" {
		found.All = withQuery("/jobs", url.Values{"repository": {string(s.Repository)}, "folder": {s.Path}})
	}
	return found, err
}
