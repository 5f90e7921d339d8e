package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/policy"
)

// sampleRun is a full command that starts a run; its frame is testdata/run.
func sampleRun() Command {
	run := core.RunID(fixed("run"))
	return Command{ID: sampleID, Attempt: 1, Epoch: 9, Seconds: 4500, Kind: CommandRun, Run: &Run{
		Run: run, Job: core.JobID(fixed("job")), Name: "nightly", Commit: fullCommit, Container: jobs.ContainerName(run),
		Definition: jobs.Definition{
			Name: "nightly", Description: "Copies what changed.", Cron: "0 3 * * *", Timezone: "Europe/Madrid", Tags: []string{"eu"}, Group: "backup",
			Mode: jobs.ModeOnce, Image: "registry.example/backup:3", Command: []string{"copy", "--to", "a b"},
			Volumes: []jobs.Volume{{Source: "data", Target: "/data", ReadOnly: true}}, Network: "shop_default",
			Configs: []jobs.Config{{File: "backup.conf", Target: "/etc/backup.conf"}}, Overlap: jobs.OverlapSkip,
			Retries: jobs.Retries{Count: 2, Backoff: 10 * time.Second}, StartDeadline: time.Hour,
			Resources: jobs.Resources{CPU: 0.5, Memory: 256 << 20, Timeout: time.Hour}},
		Configs: []jobs.ConfigFile{{Target: "/etc/backup.conf", Content: core.Content{Digest: digest, Source: "jobs/nightly/backup.conf",
			Files: []core.ContentFile{{Path: "backup.conf", Digest: digest, Size: 120}}}}},
		Variables: map[string]string{"BUCKET": "eu-1"}, Secrets: map[string]string{"TOKEN": "a\n\"b\" $c"},
		Policy: []policy.Layer{{From: policy.FromWorker, Rules: policy.Rules{Block: policy.Blocks{LatestTags: true}}}}}}
}

func TestARunHasItsGoldenFrame(t *testing.T) {
	frame, err := Encode(sampleRun())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "run")
	if *update {
		if err := os.WriteFile(file, append(frame, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden = bytes.TrimSuffix(golden, []byte("\n"))
	if !bytes.Equal(frame, golden) {
		t.Errorf("it is encoded as\n%s\nand was\n%s", frame, golden)
	}
	if decoded, err := Decode(golden); err != nil || !reflect.DeepEqual(decoded, any(sampleRun())) {
		t.Errorf("it is decoded as\n%+v, %v", decoded, err)
	}
	for _, v := range []any{*sampleRun().Run, sampleRun().Run.Definition, sampleRun().Run.Configs[0]} {
		for i := range reflect.ValueOf(v).NumField() {
			if reflect.ValueOf(v).Field(i).IsZero() {
				t.Errorf("the sample leaves %s of %T empty, so its name is not pinned", reflect.TypeOf(v).Field(i).Name, v)
			}
		}
	}
}
