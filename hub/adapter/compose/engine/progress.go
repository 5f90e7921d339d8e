package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/docker/compose/v5/pkg/api"
)

// maxLines bounds what one operation adds to a deployment's log.
const maxLines = 1000

// maxReplicas bounds the container names that are known beforehand.
const maxReplicas = 500

// relay runs work and reports its progress from the calling goroutine, so that report
// never runs twice at a time, whatever the SDK does.
func relay(report func(string), names map[string]string, hide func(string) string, work func(*progress) error) error {
	p := &progress{lines: make(chan string, 64), names: names}
	ended := make(chan error, 1)
	go func() {
		err := work(p)
		p.close()
		ended <- err
	}()
	for line := range p.lines {
		report(clipText(hide(line)))
	}
	return <-ended
}

// progress turns the SDK's events into lines for people.
type progress struct {
	names map[string]string // compose service by container name

	mu     sync.Mutex
	lines  chan string // closed by close; guarded, as an SDK goroutine may come late
	count  int
	closed bool
}

var _ api.EventProcessor = (*progress)(nil)

// Start is called by the SDK when an operation begins.
func (p *progress) Start(context.Context, string) {}

// Done is called by the SDK when an operation ends. Its flag is the wrong way round;
// the operation's error tells.
func (p *progress) Done(string, bool) {}

// On is called by the SDK, from several goroutines, with what happened.
func (p *progress) On(events ...api.Resource) {
	for _, event := range events {
		if line := p.describe(event); line != "" {
			p.say(line)
		}
	}
}

func (p *progress) question(text string) { p.say("kept as it is: " + text) }

func (p *progress) say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count++; p.closed || p.count > maxLines {
		return
	}
	if p.count == maxLines {
		line = "further lines are left out"
	}
	p.lines <- line
}

func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	close(p.lines)
}

// outcomes are the events that tell a person something, in their words.
var outcomes = map[string]string{
	api.StatusRunning: "up to date",
	api.StatusCreated: "created",
	"Recreated":       "recreated",
	api.StatusStarted: "started",
	api.StatusStopped: "stopped",
	api.StatusRemoved: "removed",
	api.StatusWaiting: "others wait for it",
	api.StatusHealthy: "healthy",
	api.StatusExited:  "finished",
}

func (p *progress) describe(event api.Resource) string {
	what := p.subject(event.ID)
	switch event.Status {
	case api.Error:
		if event.Details != "" {
			return what + ": failed: " + event.Details
		}
		return what + ": failed: " + event.Text
	case api.Warning:
		return what + ": warning: " + event.Text
	}
	outcome, told := outcomes[event.Text]
	if !told {
		return ""
	}
	return what + " " + outcome
}

// subject names what an event is about: "web: container", "network p_default".
func (p *progress) subject(id string) string {
	kind, name, found := strings.Cut(id, " ")
	if !found {
		return id
	}
	if service := p.names[name]; kind == "Container" && service != "" {
		return service + ": container"
	}
	return strings.ToLower(kind) + " " + name
}

// namesOf returns the compose service of every container name that a project has.
func namesOf(project *types.Project) map[string]string {
	names := map[string]string{}
	for name, service := range project.Services {
		if service.ContainerName != "" {
			names[service.ContainerName] = name
		}
		for i := range min(service.GetScale(), maxReplicas) {
			names[fmt.Sprintf("%s-%s-%d", project.Name, name, i+1)] = name
		}
	}
	return names
}
