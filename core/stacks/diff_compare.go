package stacks

import (
	"bytes"
	"context"

	"berth/core"
	"berth/core/fault"
)

// RevisionSource reads revisions. NotFound "revision.not_found".
type RevisionSource interface {
	Revision(ctx context.Context, stack core.StackID, number int) (Revision, error)
	// Revisions lists those whose number is below before, newest first; before 0: all.
	Revisions(ctx context.Context, stack core.StackID, before, limit int) ([]Revision, error)
}

// RenderedFiles keeps the rendered Compose files of revisions. NotFound "revision.compose_missing".
type RenderedFiles interface {
	Compose(stack core.StackID, number int) ([]byte, error)
}

// Comparer compares the revisions of a stack.
type Comparer struct {
	revisions RevisionSource
	files     RenderedFiles
	documents core.DocumentReader
	blobs     Blobs // nil: files are compared by digest only
}

// NewComparer returns a comparer. documents decodes rendered Compose files.
func NewComparer(revisions RevisionSource, files RenderedFiles, documents core.DocumentReader) *Comparer {
	return &Comparer{revisions, files, documents, nil}
}

// Reading returns c with what is in files, too: those that differ are compared by line.
func (c *Comparer) Reading(blobs Blobs) *Comparer {
	reading := *c
	reading.blobs = blobs
	return &reading
}

// Project reads a revision with its rendered file.
func (c *Comparer) Project(ctx context.Context, stack core.StackID, number int) (Project, error) {
	revision, err := c.revisions.Revision(ctx, stack, number)
	if err != nil {
		return Project{}, err
	}
	return ReadProject(revision, c.files, c.documents)
}

// ReadProject returns a revision with its rendered file, as comparisons read it.
func ReadProject(r Revision, files RenderedFiles, documents core.DocumentReader) (Project, error) {
	text, err := files.Compose(r.Stack, r.Number)
	if err != nil {
		return Project{}, err
	}
	document, err := documents.ReadDocument(text)
	if err != nil {
		return Project{}, fault.New(fault.Internal, "revision.storage", "The stored Compose file of revision %d cannot be read. Sync the stack to store it again.", r.Number).Because(err)
	}
	return ProjectOf(r, document), nil
}

// Compare lists how a revision differs from another one; with 0 from the newest one before it that is kept.
// compared is the one that was compared, 0 when there is none: then there is nothing to tell.
func (c *Comparer) Compare(ctx context.Context, stack core.StackID, number, with int) (changes []RevisionChange, compared int, err error) {
	after, err := c.Project(ctx, stack, number)
	if err != nil {
		return nil, 0, err
	}
	if with == 0 {
		earlier, err := c.revisions.Revisions(ctx, stack, number, 1)
		if err != nil {
			return nil, 0, err
		}
		if len(earlier) == 0 {
			return []RevisionChange{}, 0, nil
		}
		with = earlier[0].Number
	}
	before, err := c.Project(ctx, stack, with)
	if err != nil {
		return nil, 0, err
	}
	changes = ProjectChanges(before, after)
	diffs := newFileDiffs([]Project{before, after}, c.blobs)
	for i, change := range changes {
		if change.Kind == ChangeFile {
			changes[i].Diff = diffs.between(change.Name, change.Before, change.After)
		}
	}
	return changes, with, nil
}

// Rendered tells by line how the rendered Compose files of two revisions differ, as a patch; masked as files are. Empty when
// they are the same.
func (c *Comparer) Rendered(stack core.StackID, number, with int) (string, error) {
	after, err := c.files.Compose(stack, number)
	if err != nil {
		return "", err
	}
	before, err := c.files.Compose(stack, with)
	if err != nil || bytes.Equal(before, after) {
		return "", err
	}
	return lineDiff(string(before), string(after), maskLine), nil
}
