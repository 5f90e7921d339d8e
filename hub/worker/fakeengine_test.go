package worker

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/hub/worker/runs"
	"berth/local/stand/dryruns"
)

// fakeEngine runs containers in memory: one per project unless a test says otherwise.
type fakeEngine struct {
	dryruns.Engine
	mu         sync.Mutex
	containers map[string][]ProjectContainer // by project
	calls      []string
	projects   []Project // given to Apply
	hooks      map[string]func(ctx context.Context, p Project, report func(string)) error
	down       error // what every look answers
	logs       func(ctx context.Context, ask LogAsk, w io.Writer) error
	services   []string
	slow       time.Duration  // what a look takes; set before the worker starts
	rings      chan Happening // what Watch passes on
	deaf       chan error     // what Watch ends with
	made       int            // containers, ever
	hangInfo   bool           // Info does not answer; set before the worker starts
	id         string         // what Info tells; guarded by mu
	listed     func()         // called once, after a look at all projects
	used       []ContainerUsage

	specs       []runs.Spec // given to PrepareRun; guarded by mu, as what follows
	outOfMemory bool        // what is seen of every container of a run
}

func newEngine() *fakeEngine {
	return &fakeEngine{containers: map[string][]ProjectContainer{}, hooks: map[string]func(context.Context, Project, func(string)) error{}, services: []string{"web"},
		rings: make(chan Happening), deaf: make(chan error), id: "engine-1"}
}

// on makes a call do something of a test's own first: "pull", "apply", "verify", "down",
// or "apply p-1" for one project.
func (e *fakeEngine) on(call string, hook func(ctx context.Context, p Project, report func(string)) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hooks[call] = hook
}

// hang returns a hook that waits for its context, and a channel that tells of each call.
func hang() (func(context.Context, Project, func(string)) error, chan string) {
	began := make(chan string, 100)
	return func(ctx context.Context, p Project, _ func(string)) error {
		began <- p.Name
		<-ctx.Done()
		return ctx.Err()
	}, began
}

func (e *fakeEngine) call(ctx context.Context, name string, p Project, report func(string)) error {
	e.mu.Lock()
	e.calls = append(e.calls, name+" "+p.Name)
	hook := e.hooks[name+" "+p.Name]
	if hook == nil {
		hook = e.hooks[name]
	}
	e.mu.Unlock()
	if hook != nil {
		return hook(ctx, p, report)
	}
	return ctx.Err()
}

// called returns the calls that begin with prefix.
func (e *fakeEngine) called(prefix string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.calls), func(c string) bool { return !strings.HasPrefix(c, prefix) })
}

func (e *fakeEngine) lastProject() Project {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.projects[len(e.projects)-1]
}

func (e *fakeEngine) Pull(ctx context.Context, p Project, force bool, report func(string)) error {
	report("pulling " + strconv.FormatBool(force))
	return e.call(ctx, "pull", p, report)
}

func (e *fakeEngine) Apply(ctx context.Context, p Project, report func(string)) error {
	e.mu.Lock()
	e.projects = append(e.projects, p)
	e.mu.Unlock()
	if err := e.call(ctx, "apply", p, report); err != nil {
		return err
	}
	e.run(p)
	return nil
}

// run puts a project's containers in place.
func (e *fakeEngine) run(p Project) {
	revision, _ := strconv.Atoi(p.Labels[LabelRevision])
	var list []ProjectContainer
	for _, service := range e.services {
		c := ProjectContainer{Project: p.Name, Labels: p.Labels, Traits: map[string]string{"image": "demo:1", "memory limit": ""}, ContainerState: stacks.ContainerState{
			Service: service, Container: p.Name + "-" + service + "-1", State: "running", Revision: revision, StartedAt: time.Now()}}
		e.mu.Lock()
		e.made++
		c.ContainerID = strconv.Itoa(e.made)
		e.mu.Unlock()
		list = append(list, c)
	}
	e.set(p.Name, list)
}

// remake recreates the containers of some compose services for a project.
func (e *fakeEngine) remake(p Project, services ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := slices.Clone(e.containers[p.Name])
	for i := range list {
		if slices.Contains(services, list[i].Service) {
			e.made++
			list[i].Labels, list[i].ContainerID = p.Labels, strconv.Itoa(e.made)
		}
	}
	e.containers[p.Name] = list
}

// edit changes the first container of a project, as a hand does.
func (e *fakeEngine) edit(project string, change func(*ProjectContainer)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := slices.Clone(e.containers[project])
	list[0].Traits = maps.Clone(list[0].Traits)
	change(&list[0])
	e.containers[project] = list
}

func (e *fakeEngine) set(project string, list []ProjectContainer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.containers[project] = list
	if list == nil {
		delete(e.containers, project)
	}
}

func (e *fakeEngine) Verify(ctx context.Context, p Project, timeout, stable time.Duration, report func(string)) error {
	report(fmt.Sprintf("verifying %v %v", timeout, stable))
	return e.call(ctx, "verify", p, report)
}

func (e *fakeEngine) Down(ctx context.Context, project string, _ core.StackID, volumes bool, report func(string)) error {
	if err := e.call(ctx, "down", Project{Name: project}, report); err != nil {
		return err
	}
	report("removed, volumes " + strconv.FormatBool(volumes))
	e.set(project, nil)
	return nil
}

// afterLook has f called, once, between a look at all projects and its answer.
func (e *fakeEngine) afterLook(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.listed = f
}

func (e *fakeEngine) Containers(ctx context.Context, project string) ([]ProjectContainer, error) {
	all, err := e.list(ctx, project)
	e.mu.Lock()
	listed := e.listed
	if project == "" {
		e.listed = nil
	}
	e.mu.Unlock()
	if project == "" && listed != nil {
		listed()
	}
	return all, err
}

func (e *fakeEngine) list(ctx context.Context, project string) ([]ProjectContainer, error) {
	time.Sleep(e.slow)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls = append(e.calls, "look "+project)
	if e.down != nil {
		return nil, e.down
	}
	var all []ProjectContainer
	for name, list := range e.containers {
		if project == "" || project == name {
			all = append(all, list...)
		}
	}
	return all, ctx.Err()
}

func (e *fakeEngine) control(ctx context.Context, what, project, service string) error {
	if err := e.call(ctx, what, Project{Name: project}, nil); err != nil {
		return err
	}
	if !slices.Contains(e.services, service) {
		return fault.New(fault.NotFound, "engine.service_missing", "There is no service %s.", service)
	}
	return nil
}

func (e *fakeEngine) Start(ctx context.Context, project, service string) error {
	return e.control(ctx, "start", project, service)
}

func (e *fakeEngine) Stop(ctx context.Context, project, service string) error {
	return e.control(ctx, "stop", project, service)
}

func (e *fakeEngine) Restart(ctx context.Context, project, service string) error {
	return e.control(ctx, "restart", project, service)
}

func (e *fakeEngine) Logs(ctx context.Context, project, service string, ask LogAsk, w io.Writer) error {
	e.mu.Lock()
	logs := e.logs
	e.mu.Unlock()
	return logs(ctx, ask, w)
}

func (e *fakeEngine) Info(ctx context.Context) (EngineInfo, error) {
	if e.hangInfo {
		<-ctx.Done()
		return EngineInfo{}, ctx.Err()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.down != nil {
		return EngineInfo{}, e.down
	}
	return EngineInfo{ID: e.id, Version: "20.10", APIVersion: "1.41"}, nil
}

func (e *fakeEngine) goAway(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.down = err
}

// Usage implements Engine.
func (e *fakeEngine) Usage(context.Context) ([]ContainerUsage, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.used, nil
}

// Watch implements Engine.
func (e *fakeEngine) Watch(ctx context.Context, changed func(Happening)) error {
	for {
		select {
		case h := <-e.rings:
			changed(h)
		case err := <-e.deaf:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
