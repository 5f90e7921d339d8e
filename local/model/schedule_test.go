package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"berth/core/stacks"
)

// action is one thing that may happen next. do reports false when it cannot happen now.
type action struct {
	name   string
	weight int
	do     func(w *world) bool
}

var actions = []action{
	{"commit", 4, always((*world).push)},
	{"sync", 4, whileUp(func(w *world) bool { return w.ask(stacks.TriggerManual, stacks.DeployOptions{}, stacks.Aim{}) })},
	{"redeploy", 2, whileUp(func(w *world) bool {
		return w.ask(stacks.TriggerRedeploy, stacks.DeployOptions{RecreateContainers: true}, stacks.Aim{})
	})},
	{"rollback", 2, whileUp((*world).rollBack)},
	{"transfer", 2, whileUp(func(w *world) bool {
		return w.ask(stacks.TriggerTransfer, stacks.DeployOptions{}, stacks.Aim{Worker: w.ids[w.random.IntN(len(w.ids))]})
	})},
	{"pause", 1, whileUp(always((*world).pause))},
	{"automatic sync", 1, whileUp(always((*world).autoSync))},
	{"cancel", 2, whileUp((*world).askCancel)},
	{"ask for a look", 1, whileUp(always((*world).askLook))},
	{"poll", 8, whileUp(always(func(w *world) { w.pollOn() }))},
	{"look", 10, whileUp(always(func(w *world) { w.look() }))},
	{"pipeline", 20, whileUp(func(w *world) bool { return len(w.hub.work) > 0 && done(w.advance) })},
	{"deliver", 20, whileUp((*world).deliverSome)},
	{"hub hears", 24, whileUp((*world).hubHearsSome)},
	{"hub notices", 1, whileUp((*world).noticeSome)},
	{"hub dies", 1, whileUp(func(*world) bool { panic(died{}) })},
	{"hub starts", 6, func(w *world) bool { return !w.hub.up && done(w.hubStarts) }},
	{"time", 2, always(func(w *world) {
		w.now = w.now.Add(time.Duration(1+w.random.IntN(40)) * time.Second)
		w.tell("time passes")
	})},
}

// hostActions are those of one host and its worker.
var hostActions = []struct {
	name   string
	weight int
	do     func(w *world, i int) bool
}{
	{"worker hears", 24, func(w *world, i int) bool {
		l := w.current(i)
		return w.hosts[i].up && l != nil && len(l.toWorker) > 0 && done(func() { w.workerHears(i) })
	}},
	{"work", 40, func(w *world, i int) bool { return len(w.hosts[i].tasks) > 0 && done(func() { w.work(i) }) }},
	{"connect", 3, func(w *world, i int) bool {
		return w.hosts[i].up && w.hub.up && (w.current(i) == nil || !w.current(i).atHub || w.random.IntN(8) == 0) && done(func() { w.connect(i) })
	}},
	{"look", 2, func(w *world, i int) bool { return w.hosts[i].up && done(func() { w.lookAt(i) }) }},
	{"report", 6, func(w *world, i int) bool {
		l := w.current(i)
		return w.hosts[i].sight != nil && l != nil && l.welcome && done(func() { w.report(i) })
	}},
	{"hand", 1, func(w *world, i int) bool { return w.hand(i) }},
	{"cut", 1, func(w *world, i int) bool {
		return w.current(i) != nil && done(func() { w.leave(i); w.tell("host %d: the link is cut", i) })
	}},
	{"twice", 6, (*world).twice},
	{"worker dies", 2, func(w *world, i int) bool { return w.hosts[i].up && panics() }},
	{"worker starts", 6, func(w *world, i int) bool {
		return !w.hosts[i].up && done(func() { w.hosts[i].up = true; w.tell("host %d: the worker starts", i) })
	}},
}

func always(do func(w *world)) func(*world) bool {
	return func(w *world) bool {
		do(w)
		return true
	}
}

func whileUp(do func(w *world) bool) func(*world) bool {
	return func(w *world) bool { return w.hub.up && do(w) }
}

func done(do func()) bool {
	do()
	return true
}

func panics() bool { panic(died{}) }

// twice delivers a message that was delivered before again: what the other side sent last.
func (w *world) twice(i int) bool {
	l := w.current(i)
	if l == nil || !w.hub.up {
		return false
	}
	for _, queue := range []*[]message{&l.toWorker, &l.toHub} {
		if n := len(*queue); n > 0 && w.random.IntN(2) == 0 && (*queue)[0].kind != hello && (*queue)[0].kind != welcome {
			*queue = append(*queue, (*queue)[0])
			w.tell("host %d: a %s comes twice", i, (*queue)[0].kind)
			return true
		}
	}
	return false
}

// some picks a link for which holds is true.
func (w *world) some(holds func(l *link) bool) *link {
	var found *link
	n := 0
	for i := range w.links {
		if l := &w.links[i]; l.atHub && holds(l) {
			if n++; w.random.IntN(n) == 0 {
				found = l
			}
		}
	}
	return found
}

func (w *world) deliverSome() bool {
	l := w.some(func(l *link) bool { return l.wake && l.epoch == w.newest(l.host) })
	return l != nil && done(func() { w.deliver(l) })
}

func (w *world) hubHearsSome() bool {
	l := w.some(func(l *link) bool { return len(l.toHub) > 0 })
	return l != nil && done(func() { w.hubHears(l) })
}

func (w *world) noticeSome() bool {
	l := w.some(func(l *link) bool { return !l.atWorker && len(l.toHub) == 0 })
	return l != nil && done(func() { w.noticed(l) })
}

var totalWeight = func() (n int) {
	for _, a := range actions {
		n += a.weight
	}
	for _, a := range hostActions {
		n += a.weight * 2
	}
	return n
}()

// step lets one thing happen, with a crash of who does it now and then.
func (w *world) step() {
	w.fuse = 0
	if w.chance(10) {
		w.fuse = 1 + w.random.IntN(5)
	}
	for !w.try(w.random.IntN(totalWeight)) {
	}
	w.fuse = 0
}

func (w *world) try(n int) bool {
	defer w.checkShown()
	for _, a := range actions {
		if n -= a.weight; n < 0 {
			return w.mortal(w.hubDies, func() bool { return a.do(w) })
		}
	}
	for i := range w.hosts {
		for _, a := range hostActions {
			if n -= a.weight; n < 0 {
				return w.mortal(func() { w.workerDies(i) }, func() bool { return a.do(w, i) })
			}
		}
	}
	panic("the weights do not add up")
}

// mortal runs do; when who does it dies, the rest of it does not happen.
func (w *world) mortal(dies func(), do func() bool) (happened bool) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case died:
			w.fuse = 0
			dies()
			happened = true
		default:
			panic(p)
		}
	}()
	return do()
}

// rest lets everything that is under way come to its end. Nothing fails any more, but that hub or
// worker may die once, at any durable write on the way. What keeps failing is left after a few times.
func (w *world) rest() {
	w.fuse = w.random.IntN(24)
	w.calm = true
	w.tell("nothing fails from here on")
	for range 60 {
		rested := false
		w.mortal(w.whoActsDies, func() bool {
			w.wake()
			rested = w.settle() && w.quiet()
			return true
		})
		if rested {
			return
		}
	}
}

// whoActsDies is the crash of whoever made the write at which the fuse burnt down.
func (w *world) whoActsDies() {
	if w.acting == 0 {
		w.hubDies()
		return
	}
	w.workerDies(w.acting - 1)
}

// wake starts what is down and connects the workers that have something to say or to do.
func (w *world) wake() {
	w.acting = 0
	if !w.hub.up {
		w.hubStarts()
	}
	for i := range w.hosts {
		w.hosts[i].up = true
		l := w.current(i)
		for l != nil && !l.atHub && len(l.toWorker) > 0 && w.random.IntN(2) == 0 {
			w.acting = i + 1
			w.workerHears(i) // what the hub said before it died
		}
		if w.acting = 0; (l == nil || !l.atHub) && w.needed(i) {
			w.connect(i)
		}
	}
}

// needed reports whether a worker has anything to say or to do.
func (w *world) needed(i int) bool {
	if len(w.hosts[i].journal) > 0 || w.hosts[i].touched {
		return true
	}
	open, err := w.store.OpenCommands(context.Background(), w.ids[i])
	w.must(err)
	return len(open) > 0
}

// settle does all that can be done now. It reports whether no deployment is open then.
func (w *world) settle() bool {
	w.drain()
	w.acting = 0
	for w.pollOn() {
	}
	if w.look() == 0 {
		return true
	}
	for len(w.hub.work) > 0 {
		w.advance()
	}
	w.drain()
	return false
}

// drain delivers and works until nothing is left.
func (w *world) drain() {
	for busy := true; busy; {
		busy = false
		for i := 0; i < len(w.links); i++ {
			l := &w.links[i]
			for ; l.atHub && len(l.toHub) > 0; busy = true {
				w.acting = 0
				w.hubHears(l)
			}
			if l.atHub && l.wake && l.epoch == w.newest(l.host) {
				w.acting = 0
				w.deliver(l)
			}
		}
		for i := range w.hosts {
			for l := w.current(i); l != nil && len(l.toWorker) > 0; busy = true {
				w.acting = i + 1
				w.workerHears(i)
			}
			for ; len(w.hosts[i].tasks) > 0; busy = true {
				w.acting = i + 1
				w.work(i)
			}
		}
		w.checkShown()
	}
}

// quiet reports whether nothing will happen any more, or the same failure again and again. What
// the hub was not told yet is told, and what waits for a time has it come.
func (w *world) quiet() bool {
	st, err := w.store.Stack(context.Background(), w.stack)
	w.must(err)
	at := w.hostOf(st.Worker)
	if h := &w.hosts[at]; h.touched && !slices.EqualFunc(st.Containers, h.box.states(), func(a, b stacks.ContainerState) bool { return reflect.DeepEqual(a, b) }) {
		w.lookAt(at)
		w.report(at)
		return false
	}
	retries := !st.RetryAt.IsZero() && (st.AutoSync || st.Retry.ByItself()) && st.Retries < 3
	if waits := retries || !st.HealAt.IsZero() && st.Heals < 3; waits && !st.Paused {
		w.now, w.due = w.now.Add(5*time.Minute), true
		return false
	}
	var left int
	w.must(w.data.pool.QueryRow(`SELECT count(*) FROM commands WHERE ended_at = 0`).Scan(&left))
	return left == 0
}

// run runs fn and returns how it broke an invariant, if it did.
func (w *world) run(fn func()) (b *broken) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case broken:
			b = &p
			b.story = w.story
		default:
			panic(fmt.Sprintf("%v after\n%s", p, strings.Join(w.story, "\n")))
		}
	}()
	fn()
	return nil
}

// Each tree of schedules has a trunk, and branches at each step of it.
const (
	trunk    = 40 // steps
	branches = 5  // at each of them; some are brought to rest
	twigs    = 12 // steps of the longest branch
)

// grow runs the schedules of one seed. It returns how many were run, and the first that broke an
// invariant.
func (w *world) grow(seed uint64) (n int, b *broken) {
	w.random = rand.New(rand.NewPCG(seed, 0))
	back := w.branch()
	defer func() { back() }()
	if seed%3 != 0 { // most begin with a stack that was deployed
		if b := w.run(func() { w.rest(); w.calm = false }); b != nil {
			return 1, b
		}
	}
	for range trunk {
		if b := w.run(w.step); b != nil {
			return n + 1, b
		}
		for i := range branches {
			leaf := w.branch()
			n++
			b := w.run(func() {
				for range 1 + w.random.IntN(twigs) {
					w.step()
				}
				if i%3 == 0 {
					w.rest()
					w.checkEnd()
				}
				w.checkPaths()
			})
			leaf()
			if b != nil {
				return n, b
			}
		}
	}
	return n, nil
}
