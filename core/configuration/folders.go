package configuration

import (
	"slices"

	"berth/core"
)

// Missing says that the head of a repository lacks a folder, and what to do; empty: it is there, or nobody can tell.
type Missing func(repository core.RepositoryID, folder string) string

// lacksFolder says why nothing can be made of a folder, or moved there. Of a repository that the file is to bring, or to
// read from elsewhere, nobody can tell yet.
func (p *planner) lacksFolder(repository, folder string) string {
	here := slices.IndexFunc(p.have.Repositories, func(r Repository) bool { return r.Name == repository })
	if here < 0 || p.missing == nil {
		return ""
	}
	is := p.have.Repositories[here]
	if slices.ContainsFunc(p.want.Repositories, func(r Repository) bool { return r.Name == repository && r.source() != is.source() }) {
		return ""
	}
	problem := p.missing(is.id, folder)
	p.lacking = append(p.lacking, problem)
	return problem
}

// source is what decides which commit is the head.
func (r Repository) source() [4]string { return [4]string{r.URL, r.Branch, r.Tag, r.Semver} }
