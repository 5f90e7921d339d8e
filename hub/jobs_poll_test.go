package hub

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/coretest"
	"berth/core/jobs"
	"berth/core/wire"
	"berth/hub/adapter/yaml"
)

func TestANewCommitChangesTheNextRun(t *testing.T) {
	s, _, p := newJobStand(t)
	j := s.job("backup", hourly(nil))
	if j.Definition.Image != "backup:1" || j.NextAt.IsZero() || j.SeenTree == "" {
		t.Fatalf("the job is %+v", j)
	}
	s.due(j.ID)
	first := expect[wire.Command](p)
	head := s.commit(map[string]string{"jobs/backup/job.yaml": hourly(jobFile{"image": "backup:2"}).text()})
	s.look()
	s.eventually("the new commit is read", func() bool { return s.jobNow(j.ID).Commit == head })
	if first.Run.Definition.Image != "backup:1" {
		t.Errorf("the first run has image %s", first.Run.Definition.Image)
	}
	p.exit(first, 0)
	s.due(j.ID)
	second := expect[wire.Command](p)
	if second.Run.Definition.Image != "backup:2" || second.Run.Commit != head {
		t.Errorf("the second run has image %s of commit %s", second.Run.Definition.Image, second.Run.Commit)
	}
}

func TestAJobThatCannotBeReadDoesNotFireAndDoesNotStopOthers(t *testing.T) {
	for name, c := range map[string]struct {
		file    string // empty: it goes
		code    string
		says    string
		outside string // a file that puts it right, without a change of its folder
	}{
		"no mapping":                {file: "]", code: "document.invalid", says: "jobs/bad/job.yaml: line 1"},
		"a bad cron":                {file: hourly(jobFile{"cron": "61 * * * *"}).text(), code: "job.invalid", says: "cron"},
		"the engine's socket":       {file: hourly(jobFile{"volumes": []string{"/var/run/docker.sock:/s"}}).text(), code: "job.invalid", says: "volumes[0]"},
		"a command line for image":  {file: hourly(jobFile{"image": "--privileged"}).text(), code: "job.invalid", says: "image"},
		"no file":                   {code: "job.file_missing", says: "has no jobs/bad/job.yaml"},
		"a config that is missing":  {file: configured("../../shared/c.toml"), code: "job.invalid", says: "configs[0].file", outside: "shared/c.toml"},
		"a config that is a folder": {file: configured("../good"), code: "job.invalid", says: "configs[0].file"},
		"a config outside":          {file: configured("../../../etc/passwd"), code: "job.invalid", says: "configs[0].file"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, p := newJobStand(t)
			bad, good := s.job("bad", hourly(nil)), s.job("good", hourly(jobFile{"image": "good:1"}))
			push := coretest.GitPush{Files: map[string]string{"jobs/good/job.yaml": hourly(jobFile{"image": "good:2"}).text(), "jobs/bad/README": name}, Delete: []string{"jobs/bad/job.yaml"}}
			if c.file != "" {
				push.Files["jobs/bad/job.yaml"], push.Delete = c.file, nil
			}
			push.Branch = "main"
			s.git.Push(repositoryURL, push)
			s.look()
			s.eventually("the job shows what is wrong", func() bool { return s.jobNow(bad.ID).ErrorCode != "" })
			now := s.jobNow(bad.ID)
			if now.ErrorCode != c.code || !strings.Contains(now.Error, c.says) || now.Definition.Image != "backup:1" || !now.NextAt.IsZero() || now.Ready() {
				t.Errorf("the job is %+v", now)
			}
			s.due(good.ID)
			cmd := expect[wire.Command](p)
			if cmd.Run.Definition.Image != "good:2" {
				t.Errorf("the other job runs %s", cmd.Run.Definition.Image)
			}
			p.exit(cmd, 0)
			if all := s.runs(bad.ID); len(all) != 0 {
				t.Errorf("a job that cannot be used has runs: %+v", all)
			}
			if c.outside != "" {
				s.commit(map[string]string{c.outside: "a = 1\n"})
			} else {
				s.commit(map[string]string{"jobs/bad/job.yaml": hourly(nil).text()})
			}
			s.look()
			s.eventually("the job is well again", func() bool { j := s.jobNow(bad.ID); return j.Ready() && !j.NextAt.IsZero() })
		})
	}
}

// configured is a job.yaml that mounts a file.
func configured(file string) string {
	return hourly(jobFile{"configs": []any{map[string]any{"file": file, "target": "/c.toml"}}}).text()
}

func TestAConfigFileTravelsWithTheRun(t *testing.T) {
	s, _, p := newJobStand(t)
	s.commit(map[string]string{"shared/c.toml": "a = 1\n"})
	s.commit(map[string]string{"jobs/backup/job.yaml": configured("../../shared/c.toml")})
	j := s.addJob("backup", "jobs/backup")
	s.eventually("the job is read", func() bool { return s.jobNow(j.ID).Ready() })
	before := s.jobNow(j.ID)
	s.commit(map[string]string{"shared/c.toml": "a = 2\n"}) // outside the job's folder
	s.look()
	s.eventually("the change is seen", func() bool { return s.jobNow(j.ID).Commit != before.Commit })
	s.due(j.ID)
	cmd := expect[wire.Command](p)
	if len(cmd.Run.Configs) != 1 || cmd.Run.Configs[0].Target != "/c.toml" {
		t.Fatalf("the run has configs %+v", cmd.Run.Configs)
	}
	content := cmd.Run.Configs[0].Content
	if content.Source != "shared/c.toml" || content.Digest != core.ContentDigest(content.Files) || content.Files[0].Path != "c.toml" {
		t.Errorf("the content is %+v", content)
	}
	p.send(wire.BlobWant{ID: cmd.ID, Digest: content.Files[0].Digest})
	if chunk := expect[wire.BlobChunk](p); string(chunk.Data) != "a = 2\n" || !chunk.Last {
		t.Errorf("the worker gets %q, %s", chunk.Data, chunk.Error)
	}
	p.send(wire.BlobWant{ID: cmd.ID, Digest: before.Configs[0].Content.Files[0].Digest})
	if chunk := expect[wire.BlobChunk](p); chunk.Error == "" {
		t.Error("the worker gets content that its run does not need")
	}
}

func TestACommitBesideAJobChangesNothingOfIt(t *testing.T) {
	s, _, _ := newJobStand(t)
	j := s.job("backup", hourly(nil))
	head := s.commit(map[string]string{"jobs/backup/notes.txt": "beside it", "README": "1"})
	s.look()
	s.eventually("the commit was judged", func() bool { return s.repository().Head == head })
	if now := s.jobNow(j.ID); now.SeenCommit != j.SeenCommit || !now.UpdatedAt.Equal(j.UpdatedAt) {
		t.Errorf("the job is %+v, was %+v", now, j)
	}
}

// defectiveDocuments has a defect that some files run into.
type defectiveDocuments struct{ yaml.Reader }

// ReadDocument implements core.DocumentReader.
func (d defectiveDocuments) ReadDocument(content []byte) (core.Document, error) {
	if strings.Contains(string(content), "defect") {
		panic("a defect of the reader")
	}
	return d.Reader.ReadDocument(content)
}

func TestC13ADefectInTheLookAtOneJobStopsOnlyThat(t *testing.T) {
	s := newStandWith(t, func(o *Options) { o.Documents = defectiveDocuments{} })
	good := s.job("good", hourly(nil))
	s.commit(map[string]string{"jobs/bad/job.yaml": hourly(jobFile{"description": "defect"}).text(), "jobs/good/job.yaml": hourly(jobFile{"image": "good:2"}).text()})
	bad := s.addJob("bad", "jobs/bad")
	s.eventually("the good job is read", func() bool { return s.jobNow(good.ID).Definition.Image == "good:2" })
	s.eventually("the repository tells", func() bool { return s.repository().ErrorCode == "job.defect" })
	if j := s.jobNow(bad.ID); j.Ready() {
		t.Errorf("the bad job is %+v", j)
	}
	s.commit(map[string]string{"jobs/bad/job.yaml": hourly(nil).text()})
	s.look()
	s.eventually("it is read once the cause is gone", func() bool { return s.jobNow(bad.ID).Ready() && s.repository().ErrorCode == "" })
}

func TestAJobWaitsUntilItsFileWasRead(t *testing.T) {
	s, _, _ := newJobStand(t)
	s.commit(map[string]string{"README": "1"})
	j := s.addJob("late", "jobs/late")
	s.eventually("the job says what it lacks", func() bool { return s.jobNow(j.ID).ErrorCode == "job.file_missing" })
	if now := s.jobNow(j.ID); now.Commit != "" || now.Definition.Image != "" || now.SeenTree != "" {
		t.Errorf("the job is %+v", now)
	}
	if _, err := s.store.QueueRun(t.Context(), jobs.Run{ID: "run_1", Job: j.ID, Trigger: jobs.TriggerManual}, nil, access.System); err == nil {
		t.Error("a job without a file can be run")
	}
}
