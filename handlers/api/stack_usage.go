package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// UsageTeller tells what the compose services of a stack use, from the stack's worker. Unavailable "worker.offline"
// when that is away, Conflict "worker.no_usage" when it is of a release that does not know.
type UsageTeller interface {
	Usage(ctx context.Context, s stacks.Stack) ([]stacks.ServiceUsage, error)
}

// ServiceUsageAnswer is what the containers of a compose service used together.
type ServiceUsageAnswer struct {
	Service string              `json:"service"`
	Samples []UsageSampleAnswer `json:"samples"` // oldest first
}

// UsageSampleAnswer is what a compose service used of its host at a moment.
type UsageSampleAnswer struct {
	At     time.Time `json:"at"`
	CPU    float64   `json:"cpu"`    // processors, since the look before: 0.5 is half of one
	Memory int64     `json:"memory"` // bytes, without what the kernel only caches of files
}

// StackUsage tells what the compose services of a stack used of their host in the last while.
func StackUsage(finder StackFinder, teller UsageTeller) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := namedStack(r, finder)
		if err != nil {
			return err
		}
		all, err := teller.Usage(r.Context(), s)
		if err != nil {
			return err
		}
		return endpoint.List(w, core.List[stacks.ServiceUsage]{Items: all}, showUsage)
	})
}

func showUsage(u stacks.ServiceUsage) ServiceUsageAnswer {
	answer := ServiceUsageAnswer{Service: u.Service, Samples: make([]UsageSampleAnswer, len(u.Samples))}
	for i, s := range u.Samples {
		answer.Samples[i] = UsageSampleAnswer{At: s.At, CPU: float64(s.CPU) / 1000, Memory: s.Memory}
	}
	return answer
}
