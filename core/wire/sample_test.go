package wire

import (
	"strings"
	"time"

	"berth/core"
	"berth/core/policy"
	"berth/core/stacks"
)

var (
	when        = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	fixed       = func(prefix string) string { return prefix + "_06f4x1w2y3z4a5b6c7d8e9f0g0" }
	digest      = strings.Repeat("0123456789abcdef", 4)
	fullCommit  = core.Commit(strings.Repeat("c0ffee00", 5))
	sampleStack = core.StackID(fixed("stk"))
	sampleID    = core.CommandID(fixed("cmd"))
)

// samples has one full message of each kind; their frames are testdata/frames.
func samples() map[string]any {
	return map[string]any{
		"hello": Hello{Version: "1.2.0", Hostname: "edge-1", Tags: []string{"eu", "gpu_2"}, OS: "linux", Arch: "amd64",
			Engine: digest, Runs: true, Usage: true, LogTimes: true, Judges: true, Allow: []string{"devices", "/etc/ssl"}, Limits: &policy.Rules{Allow: policy.Lists{Volumes: []string{"@project", "shared_*"}}}, Journal: []JournalEntry{{sampleID, 2, JournalResult}}},
		"welcome": Welcome{Epoch: 9, HeartbeatSeconds: 30, Version: "1.2.0", Changes: true,
			Settle: []Instruction{{ID: sampleID, Attempt: 2, Do: SettleAcknowledged}, {ID: sampleID, Attempt: 3, Do: SettleRun, Heard: new(uint64(41)), LogTo: "1773500966000000000 0"}}},
		"heartbeat":     Heartbeat{Number: 7, RoundTripUS: 412},
		"heartbeat_ack": HeartbeatAck{Number: 7},
		"snapshot":      Snapshot{Text: "# TYPE berth_up gauge\nberth_up{host=\"a<b\"} 1\n", Changes: true, Ended: []string{"berth_down"}},
		"observed":      Observed{Complete: true, Part: 2, Parts: 3, Stacks: []StackObserved{sampleObserved()}},
		"command": Command{ID: sampleID, Attempt: 1, Epoch: 9, Seconds: 1800, Kind: CommandDeploy, Deploy: &Deploy{
			Stack: sampleStack, Deployment: core.DeploymentID(fixed("dep")), Project: "web", Revision: 4, Commit: fullCommit,
			Compose: []byte("services:\n  web:\n    image: demo\n"),
			Content: []core.Content{{Digest: digest, Source: "apps/web/conf",
				Files: []core.ContentFile{{Path: "nginx/default.conf", Digest: digest, Size: 120, Executable: true}}}},
			Secrets:       map[string]string{"PASSWORD": "a\n\"b\" $c \\ d"},
			RemoveOrphans: true, ForcePull: true, Recreate: true, HealthSeconds: 300, StableSeconds: 0.5,
			Policy: []policy.Layer{{From: policy.FromGlobal, Rules: policy.Rules{Allow: policy.Lists{Images: []string{"ghcr.io/acme/**"}}, Block: policy.Blocks{Privileged: true, PublishedPorts: []string{"22", "1-1023/tcp"}}}}}}},
		"accepted": Accepted{ID: sampleID, Attempt: 1},
		"event": Event{ID: sampleID, Attempt: 1, Number: 12, Log: "pulling\n\x1b[32mdone\x1b[0m\n",
			LogTo: "1773500966000000042 0", Started: true, RanMS: 1500,
			Phase: &PhaseEvent{Name: stacks.PhasePull, State: stacks.PhaseSucceeded, DurationMS: 900, Message: "2 images"}},
		"result": Result{ID: sampleID, Attempt: 1, Status: ResultFailed, Code: "engine.unhealthy", Error: "web is unhealthy",
			Service: "web", Lines: "listening\nno such table\n",
			Phases:   []PhaseEvent{{Name: stacks.PhaseVerify, State: stacks.PhaseFailed, DurationMS: 5}},
			Events:   12,
			ExitCode: new(137), RanMS: 61_500,
			Observed: new(sampleObserved())},
		"result_ack": ResultAck{ID: sampleID, Attempt: 1},
		"cancel":     Cancel{ID: sampleID, Attempt: 1},
		"blob_want":  BlobWant{ID: sampleID, Digest: digest},
		"blob_chunk": BlobChunk{Digest: digest, Offset: 262144, Data: []byte{0, 1, 254, 255}, Last: true},
		"request": Request{ID: 3, Kind: RequestLogs, Stack: sampleStack, Project: "web", Service: "db.main_1",
			Tail: 100, Follow: true, Times: true, Seconds: 60, Secret: map[string]string{"DATABASE_URL": "postgres://shop:${DB_PASSWORD}@db"}},
		"reply":          Reply{ID: 3, Data: "one\ntwo\n", Last: true, Kind: "not_found", Code: "engine.service_missing", Error: "no such compose service"},
		"request_cancel": RequestCancel{ID: 3},
		"bye":            Bye{Reason: "the hub restarts", RetrySeconds: 5},
	}
}

func sampleObserved() StackObserved {
	return StackObserved{Stack: sampleStack, Revision: 4, Containers: []stacks.ContainerState{{
		Service: "web", Container: "web-web-1", ContainerID: digest, Image: "demo:1", State: "running", Health: "healthy",
		ExitCode: 0, RestartCount: 1, StartedAt: when, Ports: []string{"8080->80/tcp"}, Revision: 4, Changed: []string{"image", "memory limit"}}}}
}

func sampleEnrol() Enrol {
	return Enrol{Protocol: ProtocolVersion, Hostname: "edge-1", Tags: []string{"eu"}, Version: "1.2.0", OS: "linux", Arch: "amd64"}
}

func sampleEnrolled() Enrolled {
	return Enrolled{WorkerID: core.WorkerID(fixed("wrk")), HeartbeatSeconds: 30, Time: when}
}
