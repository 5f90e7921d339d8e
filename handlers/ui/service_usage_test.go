package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/stacks"
)

// sampleUsage tells of two compose services, of which one began some minutes ago.
type sampleUsage struct{}

func (sampleUsage) Usage(context.Context, stacks.Stack) ([]stacks.ServiceUsage, error) {
	api, db := stacks.ServiceUsage{Service: "api"}, stacks.ServiceUsage{Service: "db"}
	for i := range 60 {
		at := sampleNow.Add(-time.Duration(59-i) * stacks.UsageEvery)
		api.Samples = append(api.Samples, stacks.UsageSample{At: at, CPU: 40 + i*13%70 + 400*(i%20/17), Memory: int64(180+i*7%12) << 20})
		if i > 50 {
			db.Samples = append(db.Samples, stacks.UsageSample{At: at, CPU: 12, Memory: 1200 << 20})
		}
	}
	return []stacks.ServiceUsage{api, db}, nil
}

func TestUsageIsDrawnOverHalfAnHour(t *testing.T) {
	drawn := usageOf(t.Context(), sampleUsage{}, stacks.Stack{}, sampleNow)
	cpu, memory := drawn["api"][0], drawn["api"][1]
	if cpu.Name != "CPU" || cpu.Now != "51 %" || !strings.HasPrefix(cpu.Text, "CPU in the last 30 minutes: from 4 % to ") {
		t.Errorf("the processors are %+v", cpu)
	}
	if memory.Now != "185 MiB" || strings.Count(memory.Line, "M") != 1 || !strings.Contains(memory.Line, "L120 ") {
		t.Errorf("the memory is %+v", memory)
	}
	if db := drawn["db"][1]; db.Now != "1.17 GiB" || !strings.HasPrefix(db.Line, "M104 0h1L106 0") {
		t.Errorf("what began later is %+v", db)
	}
	gap := drawUsage("CPU", []stacks.UsageSample{{At: sampleNow.Add(-20 * time.Minute)}, {At: sampleNow}}, sampleNow, 100, func(stacks.UsageSample) int64 { return 0 }, sizeOf)
	if strings.Count(gap.Line, "M") != 2 {
		t.Errorf("a time in which nobody looked is drawn as %s", gap.Line)
	}
}

// tardy tells nothing before its time is over.
type tardy struct{ err error }

func (f tardy) Usage(ctx context.Context, _ stacks.Stack) ([]stacks.ServiceUsage, error) {
	if f.err != nil {
		return nil, f.err
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestAPageDoesNotWaitForUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, teller := range map[string]tardy{"slow": {}, "failing": {errors.New("x")}} {
			began := time.Now()
			if drawn := usageOf(t.Context(), teller, stacks.Stack{}, began); len(drawn) != 0 || time.Since(began) > usageWait {
				t.Errorf("%s: %v after %v", name, drawn, time.Since(began))
			}
		}
	})
}
