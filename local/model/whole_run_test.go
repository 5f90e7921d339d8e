package model

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/coretest"
	"berth/core/fleet"
	"berth/core/stacks"
	"berth/core/store"
)

// TestWhole is the second level: schedules over the real hub, store, workers and journals.
func TestWhole(t *testing.T) {
	from, to := uint64(firstSeed), firstSeed+*wholes
	if *seedFlag != 0 {
		from, to = *seedFlag, *seedFlag+1
	}
	for half := range uint64(2) {
		t.Run(fmt.Sprint(half), func(t *testing.T) {
			t.Parallel()
			data, db := openDatabase(t)
			n := 0
			for seed := from + half; seed < to && !t.Failed(); seed += 2 {
				runWhole(t, seed, data, db)
				n++
			}
			t.Logf("%d schedules, every second seed from %d to %d", n, from+half, to-1)
		})
	}
}

// runWhole runs one schedule on a clock of its own.
func runWhole(t *testing.T, seed uint64, data *database, db *store.DB) {
	dir := quickDir(t)
	data.mark()
	synctest.Test(t, func(t *testing.T) {
		v := newWhole(t, seed, data, db, dir)
		v.startHub()
		for i := range v.hosts {
			data := filepath.Join(dir, fmt.Sprintf("first-%d", i))
			v.startWorker(i, data)
		}
		promised := v.play()
		v.settleDown()
		v.check(promised)
		for i := range v.hosts {
			v.endWorker(i)
		}
		v.endHub()
		v.life.Wait()
		if len(v.wrong) > 0 {
			t.Errorf("seed %d: %s\n%s", seed, strings.Join(v.wrong, "\n"), strings.Join(v.tale, "\n"))
		}
	})
	data.conn.gate = nil
	data.back()
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}

// quickDir makes a directory where fsync costs nothing, if there is such a place: nothing here
// cuts the power.
func quickDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "berth-model-")
	if err != nil {
		return t.TempDir()
	}
	return dir
}

// pass lets time pass.
func pass(d time.Duration) { <-time.After(d) }

// play lets people, crashes and cuts come at random times. It returns what was promised.
func (v *whole) play() (promised []wish) {
	for range 4 + v.random.IntN(8) {
		pass(time.Duration(v.random.IntN(6000)) * time.Millisecond)
		v.revive()
		switch n := v.random.IntN(16); n {
		case 0, 1, 2:
			v.push(v.random.IntN(4) == 0)
		case 3, 4:
			promised = v.ask(promised, stacks.TriggerManual, stacks.DeployOptions{}, stacks.Aim{})
		case 5:
			promised = v.ask(promised, stacks.TriggerRedeploy, stacks.DeployOptions{RecreateContainers: true}, stacks.Aim{})
		case 6:
			promised = v.ask(promised, stacks.TriggerRollback, stacks.DeployOptions{}, stacks.Aim{Revision: 1 + v.random.IntN(2)})
		case 7:
			promised = v.ask(promised, stacks.TriggerTransfer, stacks.DeployOptions{}, stacks.Aim{Worker: v.workers[v.random.IntN(2)].ID})
		case 8:
			v.tell("a hand at host 0")
			v.machines[0].hand()
		case 9:
			v.tell("the links are cut")
			v.hosts[v.random.IntN(2)].cut()
		case 10, 11, 12:
			v.hubFuse.Store(int64(1 + v.random.IntN(30)))
		default:
			v.hosts[v.random.IntN(2)].fuse.Store(int64(1 + v.random.IntN(10)))
		}
	}
	return promised
}

// revive starts again whoever is dead.
func (v *whole) revive() {
	if v.hubDead.Load() {
		v.endHub()
		v.startHub()
	}
	for i, r := range v.hosts {
		if r.dead.Err() != nil {
			v.endWorker(i)
			v.startWorker(i, r.dir)
		}
	}
}

func (v *whole) push(bad bool) {
	text := fmt.Sprintf("service web %d", v.random.Int())
	if bad {
		text += " bad"
	}
	c := v.git.Commit(gitURL, "main", map[string]string{"web/compose.yaml": text})
	v.tell("commit %s, bad %v", c.Short(), bad)
}

func (v *whole) ask(promised []wish, trigger stacks.Trigger, options stacks.DeployOptions, aim stacks.Aim) []wish {
	d, err := v.store.QueueDeployment(context.Background(), stacks.Ask{Stack: v.stack, Trigger: trigger, Actor: person.Name, Reason: "asked", Options: options, Aim: aim}, person)
	v.tell("a person asks for %s: %s, %v", trigger, d.ID, err)
	if err != nil {
		return promised
	}
	v.hub.Load().hub.Nudge()
	if trigger == stacks.TriggerRedeploy {
		aim = d.Aim // while the head is in quarantine, of what runs
	}
	return append(promised, wish{deployment: d.ID, aim: aim})
}

// settleDown waits, without further harm, until nothing is under way.
func (v *whole) settleDown() {
	v.hubFuse.Store(0)
	for _, r := range v.hosts {
		r.fuse.Store(0)
	}
	v.revive()
	v.tell("nothing fails from here on")
	for range 400 {
		pass(5 * time.Second)
		synctest.Wait()
		if v.quiet() {
			return
		}
	}
	v.complain("I1: it does not come to rest")
}

func (v *whole) quiet() bool {
	ctx := context.Background()
	open, err := v.store.OpenDeployments(ctx)
	if err != nil || len(open) > 0 {
		return false
	}
	for _, w := range v.workers {
		if now, err := v.store.Worker(ctx, w.ID); err != nil || !now.Online {
			return false // it waits before it comes back, and tells then what runs
		}
		if commands, err := v.store.OpenCommands(ctx, w.ID); err != nil || len(commands) > 0 {
			return false
		}
	}
	st, err := v.store.Stack(ctx, v.stack)
	if err != nil || !st.RetryAt.IsZero() && st.Retries < 2 {
		return false
	}
	r, err := v.store.Repository(ctx, st.Repository)
	return err == nil && r.AskedAt.IsZero() && st.Seen == r.Head && r.Head != ""
}

// check looks at the invariants when all is at rest.
func (v *whole) check(promised []wish) {
	ctx := context.Background()
	pass(15 * time.Second) // the workers look once more
	synctest.Wait()
	st, err := v.store.Stack(ctx, v.stack)
	if err != nil {
		v.complain("the stack cannot be read: %v", err)
		return
	}
	at := slices.IndexFunc(v.workers[:], func(w fleet.Worker) bool { return w.ID == st.Worker })
	m := v.machines[at]
	for _, other := range v.machines {
		if other.problem != "" {
			v.complain("I2: %s", other.problem)
		}
		if other != m && other.box != nil {
			v.complain("I1: the stack runs on %s too", other.id)
		}
	}
	if st.Status == stacks.StatusActive && (m.box == nil || m.box.State != "running" || m.box.Revision != st.Revision || m.made != made{st.Revision, true}) {
		v.complain("I5: active at revision %d, seen at %s as %+v, and the machine has %+v, made %+v", st.Revision, st.ObservedAt.Format("04:05.000"), st.Containers, m.box, m.made)
	}
	if (st.Status == stacks.StatusError || st.Status == stacks.StatusDegraded) == (st.Error == "") || st.Status == stacks.StatusPending || st.Status == stacks.StatusSyncing {
		v.complain("I1: the stack is %s, %q", st.Status, st.Error)
	}
	if st.DeployedTree != st.SeenTree && !st.OutOfSync {
		v.complain("I6: the head is not deployed, and the stack does not say so")
	}
	list, err := v.store.Deployments(ctx, stacks.DeploymentFilter{Stack: v.stack}, core.Page{Limit: core.MaxPage})
	if err != nil {
		v.complain("the deployments cannot be read: %v", err)
	}
	for _, d := range list.Items {
		events, err := v.store.DeploymentEvents(ctx, d.ID)
		if err == nil {
			err = coretest.LegalPath(d, events)
		}
		if err != nil {
			v.complain("I1: %v", err)
		}
	}
	for _, p := range promised {
		n := slices.IndexFunc(list.Items, func(d stacks.Deployment) bool { return d.ID == p.deployment })
		if d := list.Items[n]; !d.State.Ended() || d.State != stacks.DeploymentSucceeded && d.Error == "" {
			v.complain("I1: %s is %s and does not say why", d.ID, d.State)
		}
	}
}
