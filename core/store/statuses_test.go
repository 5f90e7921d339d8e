package store_test

import (
	"fmt"
	"testing"
	"time"

	"berth/core/repositories"
	"berth/core/stacks"
)

// claimed takes what is due, and shows it.
func (y *yard) claimed() ([]repositories.CommitStatus, string) {
	y.t.Helper()
	y.tick()
	all, err := y.ClaimStatuses(y.t.Context(), 10, y.at.Add(time.Minute))
	y.must(err)
	text := ""
	for _, c := range all {
		text += fmt.Sprintf("%s %s %s %d;", c.Context(), c.Commit, c.State, c.Attempts)
	}
	return all, text
}

func (y *yard) due(what, want string) repositories.CommitStatus {
	y.t.Helper()
	all, got := y.claimed()
	if got != want {
		y.t.Fatalf("%s: due is %q, want %q", what, got, want)
	}
	if len(all) == 0 {
		return repositories.CommitStatus{}
	}
	return all[0]
}

func TestGitHostsAreToldOfDeployments(t *testing.T) {
	y := openYard(t)
	web := y.add("web")
	y.deploy(web, "c1")
	y.due("nobody wants to be told", "")
	y.exec(t, `UPDATE repositories SET statuses = 'gitea'`)

	d := y.start(y.queue(polled(web, "c2")))
	y.due("its commit is not known yet", "")
	y.exec(t, `UPDATE deployments SET commit_hash = 'c2' WHERE id = ?`, d.ID)
	c := y.due("it began", "berth/web c2 pending 1;")
	y.due("somebody tells it", "")
	y.must(y.SettleStatus(t.Context(), c, "The host is away.", y.at.Add(-time.Second)))
	if r, err := y.Repository(t.Context(), "rep_1"); err != nil || r.StatusTrouble.Text != "The host is away." || r.StatusTrouble.At.IsZero() {
		t.Errorf("the trouble is %+v, %v", r.StatusTrouble, err)
	}
	c = y.due("it is told again", "berth/web c2 pending 2;")
	y.must(y.SettleStatus(t.Context(), c, "", time.Time{}))
	if r, err := y.Repository(t.Context(), "rep_1"); err != nil || r.StatusTrouble != (repositories.StatusTrouble{}) {
		t.Errorf("the trouble is over, and it says %+v, %v", r.StatusTrouble, err)
	}
	y.due("it was told", "")
	y.end(d.ID, stacks.DeploymentFailed)
	late := c
	c = y.due("it has ended", "berth/web c2 failure 1;")
	y.must(y.SettleStatus(t.Context(), late, "", time.Time{}))
	y.must(y.SettleStatus(t.Context(), c, "The host refuses.", time.Time{}))
	y.at = y.at.Add(time.Hour)
	y.due("it was given up", "")

	other := y.queue(polled(web, "c3"))
	_, err := y.CancelDeployment(t.Context(), other.ID, someone)
	y.must(err)
	y.due("what never began is not told", "")
}
