package handlers_test

import (
	"fmt"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/jobs"
	"berth/core/stacks"
)

// inEachState looks at lists and pages of stacks, deployments and runs in every state that there is, while they
// are there.
func (a *auditor) inEachState(named map[string]string) {
	a.t.Helper()
	var made []string
	look := func(path string) { a.s.browse(a.sessions[access.RoleAdmin], path) }
	for _, status := range stacks.Statuses {
		id := a.s.copied("stacks", named["stack"], core.PrefixStack, map[string]any{"name": "is-" + strings.ReplaceAll(string(status), "_", "-"), "status": string(status),
			"error": "The image registry.example.com/team/a-rather-long-name-of-an-image:2026.11.3 cannot be pulled: unauthorized."})
		made = append(made, "DELETE FROM stacks WHERE id = '"+id+"'", "DELETE FROM revisions WHERE stack_id = '"+id+"'")
		a.s.copyRows("revisions", "stack_id", named["stack"], map[string]any{"stack_id": id})
		look("/stacks/" + id)
		for _, state := range append([]stacks.DeploymentState{stacks.DeploymentQueued, stacks.DeploymentRunning}, stacks.Results...) {
			if state == stacks.DeploymentQueued || state == stacks.DeploymentRunning || status == stacks.StatusActive {
				dep := a.s.copied("deployments", named["deployment"], core.PrefixDeployment, map[string]any{"stack_id": id, "state": string(state)})
				made = append(made, "DELETE FROM deployments WHERE id = '"+dep+"'")
				if status == stacks.StatusActive {
					look("/deployments/" + dep)
				}
			}
		}
	}
	for _, state := range jobs.RunStates {
		id := a.s.copied("job_runs", named["run"], core.PrefixRun, map[string]any{"state": string(state)})
		made = append(made, "DELETE FROM job_runs WHERE id = '"+id+"'")
		look("/job-runs/" + id)
	}
	for _, list := range []string{"/", "/stacks", "/stacks?group=worker", "/deployments", "/jobs", "/job-runs"} {
		look(list)
	}
	for i := len(made) - 1; i >= 0; i-- {
		a.s.exec(made[i])
	}
}

// copied makes a row like another, with an identifier of its own and some columns of its own.
func (s *stand) copied(table, like, prefix string, columns map[string]any) string {
	s.t.Helper()
	id := core.NewID(prefix, s.now())
	columns["id"] = id
	s.copyRows(table, "id", like, columns)
	return id
}

// copyRows copies the rows that have a key in a column.
func (s *stand) copyRows(table, column, key string, columns map[string]any) {
	s.t.Helper()
	s.exec("CREATE TEMP TABLE one AS SELECT * FROM "+table+" WHERE "+column+" = ?", key)
	for column, value := range columns {
		s.exec(fmt.Sprintf("UPDATE one SET %s = ?", column), value)
	}
	s.exec("INSERT INTO " + table + " SELECT * FROM one")
	s.exec("DROP TABLE one")
}
