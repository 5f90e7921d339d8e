package api

import (
	"context"
	"net/http"
	"sort"
	"strconv"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/handlers/endpoint"
)

// ServiceAnswer is a compose service of a stack with its containers.
type ServiceAnswer struct {
	Name       string            `json:"name"`
	Containers []ContainerAnswer `json:"containers"`
}

// ContainerAnswer is a container as the stack's worker last reported it.
type ContainerAnswer struct {
	Name         string     `json:"name"`
	ID           string     `json:"id"` // the engine's
	Image        string     `json:"image"`
	State        string     `json:"state"`  // created, running, paused, restarting, exited, dead or removing
	Health       string     `json:"health"` // starting, healthy or unhealthy; "" when no check is declared
	ExitCode     int        `json:"exit_code"`
	RestartCount int        `json:"restart_count"`
	StartedAt    *time.Time `json:"started_at"`
	Ports        []string   `json:"ports"`
	Revision     int        `json:"revision"` // that it was made for
}

// ServicesAnswer is what runs of a stack, as last observed.
type ServicesAnswer struct {
	Items      []ServiceAnswer `json:"items"`
	Next       string          `json:"next"`
	ObservedAt *time.Time      `json:"observed_at"` // since when the worker sees it so: the time of the first look that found this; null: never seen
}

// ListServices answers with what runs of a stack.
func ListServices(finder StackFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := namedStack(r, finder)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, ServicesAnswer{Items: showServices(s.Containers), ObservedAt: optionalTime(s.ObservedAt)})
	})
}

func showServices(containers []stacks.ContainerState) []ServiceAnswer {
	index := map[string]int{}
	services := []ServiceAnswer{}
	for _, c := range containers {
		i, known := index[c.Service]
		if !known {
			i = len(services)
			index[c.Service] = i
			services = append(services, ServiceAnswer{Name: c.Service})
		}
		services[i].Containers = append(services[i].Containers, ContainerAnswer{Name: c.Container, ID: c.ContainerID, Image: c.Image, State: c.State,
			Health: c.Health, ExitCode: c.ExitCode, RestartCount: c.RestartCount, StartedAt: optionalTime(c.StartedAt), Ports: orEmpty(c.Ports), Revision: c.Revision})
	}
	sort.Slice(services, func(a, b int) bool { return services[a].Name < services[b].Name })
	return services
}

// ServiceActor reaches the containers of a stack on its worker; Unavailable
// "worker.offline" when that is away.
type ServiceActor interface {
	Act(ctx context.Context, s stacks.Stack, service string, kind wire.RequestKind) error
}

// ActRecorder keeps who acts on compose services; see stacks.Desk.
type ActRecorder interface {
	RecordAct(ctx context.Context, id core.StackID, service string, act stacks.Act, by access.Principal) error
}

// ActOnService starts, stops or restarts every container of a compose service, and
// answers when that is done.
func ActOnService(finder StackFinder, recorder ActRecorder, actor ServiceActor, kind wire.RequestKind) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, service, err := namedService(r, finder)
		if err != nil {
			return err
		}
		if err := recorder.RecordAct(r.Context(), s.ID, service, stacks.Act(kind), endpoint.Principal(r.Context())); err != nil {
			return err
		}
		if err := actor.Act(r.Context(), s, service, kind); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}

// namedService finds the stack and the compose service that the path names.
func namedService(r *http.Request, finder StackFinder) (stacks.Stack, string, error) {
	s, err := namedStack(r, finder)
	if err != nil {
		return s, "", err
	}
	service := r.PathValue("service")
	for _, c := range s.Containers {
		if c.Service == service {
			return s, service, nil
		}
	}
	return s, "", fault.New(fault.NotFound, "service.not_found", "The stack runs no compose service of this name.")
}

// tailOf reads ?tail=: how many lines from the end, 1 to 10,000, default 200.
func tailOf(r *http.Request) (int, error) {
	text := r.URL.Query().Get("tail")
	if text == "" {
		return 200, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > wire.MaxTail {
		return 0, fault.BadFields("query.invalid", []fault.Field{{Path: "tail", Problem: "must be a number of lines from 1 to 10000"}})
	}
	return n, nil
}

// numberOf reads an integer query parameter of at least 0; absent is 0.
func numberOf(r *http.Request, name string) (uint64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 53)
	if err != nil {
		return 0, fault.BadFields("query.invalid", []fault.Field{{Path: name, Problem: "must be a whole number"}})
	}
	return n, nil
}
