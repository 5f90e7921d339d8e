package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"time"

	"berth/core"
	"berth/core/document"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/repositories"
)

// Limits of what is read of a job, in bytes.
const (
	maxJobFile    = 64 << 10
	maxConfigFile = 1 << 20
)

// jobsIn is the jobs of a repository, which a commit is judged for.
type jobsIn struct {
	h      *Hub
	commit core.Commit
	tree   core.Tree
	all    []jobs.Job
}

// concern implements the jobs' part of judge.
func (h *Hub) jobsIn(ctx context.Context, r repositories.Repository, commit core.Commit, tree core.Tree) (concern, error) {
	all, err := h.opts.Store.JobsOfRepository(ctx, r.ID)
	if err != nil && !unreadable(err) {
		return concern{}, err
	}
	in := jobsIn{h, commit, tree, all}
	var paths []string
	for _, j := range all {
		paths = append(paths, jobPaths(j.Path, j.Definition)...)
	}
	return concern{paths, in.judge}, err
}

// judge reads the jobs that a commit has changed and stores what it found.
func (in jobsIn) judge(ctx context.Context, hashes map[string]string) (failed error) {
	var sights []jobs.Sight
	for _, j := range in.all {
		sight, isNews, err := jobs.Sight{}, false, error(nil)
		if in.h.safely(j.ID, func() { sight, isNews, err = in.look(ctx, j, hashes) }) {
			err = fault.New(fault.Unavailable, "job.defect",
				"A defect in this program stopped the look at job %s; the others were looked at. The server's log has the details.", j.Name)
		}
		failed = errors.Join(failed, err)
		if err == nil && isNews {
			sights = append(sights, sight)
		}
	}
	if len(sights) == 0 {
		return failed
	}
	now := in.h.opts.Now()
	failed = errors.Join(failed, oneByOne(ctx, sights, func(ctx context.Context, some []jobs.Sight) error {
		return in.h.opts.Store.RecordSights(ctx, some, func(j jobs.Job) time.Time { return j.Due(now) })
	}))
	in.h.clock.wake()
	in.h.figures.wake()
	return failed
}

// look reads one job, unless all that it reads is as it was. One that could not be used is read again with every
// commit: what it lacked may lie anywhere.
func (in jobsIn) look(ctx context.Context, j jobs.Job, hashes map[string]string) (sight jobs.Sight, isNews bool, err error) {
	sight = jobs.Sight{Job: j.ID, Commit: in.commit, Tree: jobTree(hashes, j.Path, j.Definition)}
	if j.Ready() && sight.Tree == j.SeenTree {
		return sight, false, nil
	}
	file := path.Join(j.Path, jobs.File)
	sight.Definition, sight.Configs, err = in.read(ctx, j.Path, file)
	if problem := readProblem(err); problem != nil {
		sight.ErrorCode, sight.Error = fault.CodeOf(problem), fault.PublicOf(problem)
		return sight, true, nil
	}
	if err != nil {
		return sight, false, err // of the repository, or this program; it is looked at again
	}
	hashes, err = in.tree.Hashes(ctx, jobPaths(j.Path, sight.Definition))
	sight.Tree = jobTree(hashes, j.Path, sight.Definition)
	return sight, true, err
}

// readProblem returns err when it is about what a commit holds.
func readProblem(err error) error {
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) || fault.Is(err, fault.TooLarge) {
		return err
	}
	return nil
}

// read reads a job.yaml and stores the config files that it names.
func (in jobsIn) read(ctx context.Context, folder, file string) (d jobs.Definition, configs []jobs.ConfigFile, err error) {
	content, err := in.tree.Read(ctx, file, maxJobFile)
	if fault.CodeOf(err) == "git.path_missing" {
		return d, nil, fault.New(fault.NotFound, "job.file_missing", "Commit %s has no %s. Check the job's path and branch; no run begins until it is there.", in.commit.Short(), file)
	}
	if err != nil {
		return d, nil, inFile(file, err)
	}
	doc, err := in.h.opts.Documents.ReadDocument(content)
	if err != nil {
		return d, nil, inFile(file, err)
	}
	if d, err = jobs.ReadDefinition(file, doc); err != nil {
		return d, nil, err
	}
	configs, err = in.configs(ctx, folder, file, d, document.New(doc))
	return d, configs, err
}

// configs reads and stores the config files of a job; what is wrong with any of them is told at once, with its line.
func (in jobsIn) configs(ctx context.Context, folder, file string, d jobs.Definition, doc *document.Reader) ([]jobs.ConfigFile, error) {
	all := make([]jobs.ConfigFile, len(d.Configs))
	for i, c := range d.Configs {
		content, err := in.config(ctx, folder, c.File)
		if problem := readProblem(err); problem != nil {
			doc.Complain(configKey(i), "%s", fault.PublicOf(problem))
		} else if err != nil {
			return nil, err
		}
		all[i] = jobs.ConfigFile{Target: c.Target, Content: content}
	}
	return all, doc.Fault(file, "job.invalid")
}

// config reads and stores one config file.
func (in jobsIn) config(ctx context.Context, folder, name string) (core.Content, error) {
	source, err := jobs.ConfigPath(folder, name)
	if err != nil {
		return core.Content{}, err
	}
	content, err := in.tree.Read(ctx, source, maxConfigFile)
	if err != nil {
		return core.Content{}, err
	}
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	if err := in.h.opts.Files.PutBlob(ctx, digest, content); err != nil {
		return core.Content{}, err
	}
	files := []core.ContentFile{{Path: path.Base(source), Digest: digest, Size: int64(len(content))}}
	return core.Content{Digest: core.ContentDigest(files), Source: source, Files: files}, nil
}
