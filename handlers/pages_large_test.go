package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/fleet"
	"berth/core/metrics"
)

// BenchmarkPages asks for the pages that show the most, of a server that knows 1,000 stacks, 1,000 workers, 200 jobs with
// 100 runs each and 20,000 deployments.
func BenchmarkPages(b *testing.B) {
	s := newStand(b)
	s.found()
	session := s.session(s.user(access.RoleAdmin))
	for _, page := range s.filled(session, 1000) {
		b.Run(identifier.ReplaceAllString(page, "x"), func(b *testing.B) {
			size := 0
			for b.Loop() {
				w := s.do(call{method: http.MethodGet, path: page, session: session, header: http.Header{"Accept": {"text/html"}}})
				if size = w.Body.Len(); w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
			b.ReportMetric(float64(size)/1000, "kB")
		})
	}
}

// TestAPageAsksNoMoreOfTheStoreForMoreLines: what a list shows beside its lines is read for all of them at once.
func TestAPageAsksNoMoreOfTheStoreForMoreLines(t *testing.T) {
	asked := map[int]map[string]int{}
	for _, n := range []int{40, 120} {
		s := newStand(t)
		s.found()
		session := s.session(s.user(access.RoleAdmin))
		pages := s.filled(session, n)
		counted := &reads{}
		s.db.Measure(counted)
		asked[n] = map[string]int{}
		for _, page := range pages {
			s.browse(session, page) // what is written once a while is
			before := counted.n.Load()
			says(t, s.browse(session, page), 200)
			asked[n][identifier.ReplaceAllString(page, "x")] = int(counted.n.Load() - before)
		}
	}
	for page, few := range asked[40] {
		if many := asked[120][page]; many > few || few == 0 {
			t.Errorf("%s reads %d times with 40 of each, and %d times with 120", page, few, many)
		}
	}
}

// reads counts what is read of a database.
type reads struct {
	metrics.Own
	n atomic.Int64
}

func (r *reads) Transaction(string, string, time.Duration) { r.n.Add(1) }

// filled stores n stacks, n workers, deployments, and jobs with runs, and returns the pages that show the most of them.
func (s *stand) filled(session string, n int) (pages []string) {
	s.t.Helper()
	files := map[string]string{"job/job.yaml": "name: x"}
	for _, folder := range strings.Fields("folder-1 folder-2 folder-3") {
		files[folder+"/compose.yaml"] = "services: {}"
	}
	s.git.Commit("https://git.test/apps.git", "main", files)
	first, page := s.madeStack(session)
	stack, repository := strings.TrimPrefix(page, "/stacks/"), strings.TrimPrefix(first, "/repositories/")
	worker, now := string(s.worker("edge").ID), s.now().UnixMicro()
	w := s.submit(session, "/jobs", url.Values{"repository_id": {repository}, "path": {"job"}, "name": {"job"}})
	job, _, _ := strings.Cut(strings.TrimPrefix(w.Header().Get("Location"), "/jobs/"), "?")
	s.exec(`UPDATE jobs SET commit_hash = 'c1', definition = '{"name":"job","cron":"@daily","timezone":"UTC","mode":"once","image":"busybox"}', last_state = 'succeeded', last_success_at = created_at, next_at = created_at + 1000000000000`)
	const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < ?) `
	for _, fill := range []struct {
		table, like, columns string
		n                    int
	}{
		{"workers", worker, `id = substr(id, 1, length(id)-4) || printf('%04d', i), token_id = token_id || i, hostname = 'edge-' || i || '.example.com', connected_at = created_at, left_at = created_at + 60`, n - 1},
		{"stacks", stack, `id = substr(id, 1, length(id)-4) || printf('%04d', i), name = 'stack-' || i, path = 'folder-' || i, status = CASE i % 20 WHEN 0 THEN 'error' WHEN 1 THEN 'degraded' ELSE 'active' END,
			worker_id = (SELECT id FROM workers WHERE hostname = 'edge-' || i || '.example.com')`, n - 1},
		{"jobs", job, `id = substr(id, 1, length(id)-4) || printf('%04d', i), name = 'job-' || i, path = 'jobs/' || i`, n/5 - 1},
	} {
		s.multiply(fill.table, fill.like, fill.columns, fill.n)
	}
	s.exec(many+`INSERT INTO deployments (id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases, error_code, error, tree, cancelling, queued_at, started_at, finished_at)
		SELECT printf('dep_%s%04d', substr(s.id, -22), i), s.id, CASE i % 10 WHEN 0 THEN 'failed' ELSE 'succeeded' END, 'poll', 'system', '', 0, '', '{}', '[]', '', '', '', 0, ?2 - i * 3600000000, ?2 - i * 3600000000, ?2 - i * 3600000000 + 60000000 FROM stacks s, n`, 20, now)
	s.exec(many+`INSERT INTO job_runs (id, job_id, fire_id, state, trigger, actor, scheduled_at, commit_hash, worker_id, command_id, retry_of, attempt, not_before, error_code, error, cancelling, cancelled_by,
		queued_at, started_at, finished_at, definition, configs, given)
		SELECT printf('run_%s%04d', substr(j.id, -22), i), j.id, printf('run_%s%04d', substr(j.id, -22), i), CASE i % 10 WHEN 0 THEN 'failed' ELSE 'succeeded' END, 'cron', 'system', ?2 - i * 3600000000, 'c1', ?3, '', '', 1, 0, '', '', 0, '',
		?2 - i * 3600000000, ?2 - i * 3600000000, ?2 - i * 3600000000 + 5000000, j.definition, '[]', '[]' FROM jobs j, n`, 100, now, worker)
	s.exec(`INSERT INTO worker_readings (worker_id, slot, at, cpu, load, cpus, memory, memory_total, disk, disk_total) SELECT id, ?, ?, 100 + rowid % 800, 1, 4, 4, 8, 5, 10 FROM workers`, fleet.Slot(s.now()), now)
	return []string{"/", "/stacks", "/stacks?group=worker", "/jobs", "/workers", "/deployments?limit=500", "/job-runs?limit=500", "/search?q=stack-1", "/search?q=edge", "/stacks/" + stack,
		"/stacks/" + stack + "/settings", "/stacks/new?path=folder-1&repository=" + repository, "/jobs/new?path=job&repository=" + repository, "/repositories/" + repository, "/workers/" + worker, "/audit-events"}
}

// multiply makes n rows that are like one but for some columns; i counts them.
func (s *stand) multiply(table, like, columns string, n int) {
	s.t.Helper()
	s.exec("CREATE TEMP TABLE one AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < ?) SELECT "+table+".*, i FROM "+table+", n WHERE "+table+".id = ?", n, like)
	s.exec("UPDATE one SET " + columns)
	s.exec("ALTER TABLE one DROP COLUMN i")
	s.exec("INSERT INTO " + table + " SELECT * FROM one")
	s.exec("DROP TABLE one")
}
