package hubs

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/seal"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/kill"
	"berth/local/stand/githost"
	"berth/local/stand/pgserver"
)

// patience bounds whatever is waited for, on a machine where everything else runs too.
const patience = 150 * time.Second

// site is one installation: a database, a Git host, the address of all worker ports, and the
// programs that run on them.
type site struct {
	t        testing.TB
	dir      string
	db       *sql.DB
	database string // DATABASE_URL
	git      *githost.Host
	gitURL   string
	secret   string // SECRET_KEY
	token    string // BOOTSTRAP_TOKEN
	balancer *balancer
	origin   string     // APP_URL
	api      rig.Client // with the key of an administrator's service account
	person   rig.Client // signed in
	password string     // of the administrator
	programs []*program
}

// newSite makes one on a database that the caller has made; nothing runs yet.
func newSite(t testing.TB, database, host string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), database: database, git: githost.New(t.TempDir()), secret: kill.NewKey(), token: rand.Text(),
		balancer: newBalancer(t, net.JoinHostPort(host, "0"))}
	var err error
	if s.db, err = sql.Open("pgx", database); err != nil {
		t.Fatal(err)
	}
	s.db.SetMaxOpenConns(4)
	t.Cleanup(func() { s.db.Close() })
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	git := &httptest.Server{Listener: l, Config: &http.Server{Handler: s.git}}
	git.Start()
	t.Cleanup(git.Close)
	s.gitURL = git.URL
	s.origin = "http://127.0.0.1:" + rig.FreePort(t)
	return s
}

// onOneHost makes a site whose programs all reach each other on this host.
func onOneHost(t testing.TB) *site {
	t.Helper()
	server := pgserver.Shared(t)
	return newSite(t, server.TCP(server.Database(t, "template0")), "127.0.0.1")
}

// throughPooler has the programs that are added from now on reach the database that way.
func (s *site) throughPooler(p *pgserver.Pooler) {
	s.t.Helper()
	u, err := url.Parse(s.database)
	if err != nil {
		s.t.Fatal(err)
	}
	s.database = p.URL(strings.TrimPrefix(u.Path, "/"))
}

// program is a hub's process, or local's, which is a hub too. Its folder stays while it comes and goes.
type program struct {
	s       *site
	name    string
	path    string // of the program's package
	env     []string
	url     string // HUB_URL
	workers string // host:port of its worker port
	process *kill.Process
	log     string
}

// add makes a program of this host that does not run yet.
func (s *site) add(name, path string, env ...string) *program {
	s.t.Helper()
	workers, internal := rig.FreePort(s.t), rig.FreePort(s.t)
	web, err := url.Parse(s.origin)
	if err != nil {
		s.t.Fatal(err)
	}
	p := &program{s: s, name: name, path: path, url: "https://127.0.0.1:" + internal, workers: "127.0.0.1:" + workers, log: filepath.Join(s.dir, name+".log")}
	p.env = append(s.environment(name, s.database), append([]string{"PORT=" + web.Port(), "TLS_WORKER_PORT=" + workers, "HUB_LISTEN=127.0.0.1:" + internal}, env...)...)
	s.programs = append(s.programs, p)
	s.t.Cleanup(p.end)
	return p
}

// environment is what every program of the site gets.
func (s *site) environment(name, database string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "SECRET_KEY=" + s.secret, "BOOTSTRAP_TOKEN=" + s.token, "DATABASE_URL=" + database, "APP_URL=" + s.origin,
		"DATA_DIR=" + filepath.Join(s.dir, name), "SCAN_INTERVAL=2s", "HEARTBEAT_INTERVAL=2"}
}

func (s *site) hub(name string) *program { return s.add(name, "./hub/cmd/hub") }

// run starts the program and waits until its row is there.
func (p *program) run() {
	p.s.t.Helper()
	began := time.Now()
	process, err := kill.Start(kill.Program(p.s.t, p.path), p.env, p.log, kill.Point{})
	if err != nil {
		p.s.t.Fatal(err)
	}
	p.process = process
	p.joined(began)
}

// joined waits until the others know the program that was started, or woken, at began.
func (p *program) joined(began time.Time) {
	p.s.t.Helper()
	p.s.until(p.name+" is a hub", func() (bool, string) {
		if p.process != nil && !p.process.Alive() {
			p.s.t.Fatalf("%s did not start:\n%s", p.name, p.tail())
		}
		n := p.s.count(`SELECT count(*) FROM hubs WHERE url = $1 AND started_at >= $2`, p.url, began.UnixMicro())
		return n == 1, p.tail()
	})
}

// kill ends the program as kill -9 does.
func (p *program) kill() {
	p.s.t.Helper()
	if err := p.process.Kill(); err != nil {
		p.s.t.Fatal(err)
	}
}

// stop ends it as kill does.
func (p *program) stop() {
	p.s.t.Helper()
	if err := p.process.Stop(); err != nil {
		p.s.t.Fatal(err)
	}
}

func (p *program) end() {
	if p.process != nil && p.process.Alive() {
		if err := p.process.Kill(); err != nil {
			p.s.t.Error(err)
		}
	}
	if p.s.t.Failed() {
		p.s.t.Logf("the end of the log of %s:\n%s", p.name, p.tail())
	}
}

func (p *program) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-3000):])
}

// microseconds is the database's clock, as hubs use it.
const microseconds = `(extract(epoch from clock_timestamp()) * 1000000)::bigint`

// leader returns the program that holds the lease of the duties, and under which epoch; nil: none does.
func (s *site) leader() (*program, int64) {
	s.t.Helper()
	var address string
	var epoch int64
	err := s.db.QueryRow(`SELECT h.url, l.epoch FROM leases l JOIN hubs h ON h.id = l.holder WHERE l.name = 'duties' AND l.lease_until >= `+microseconds+` AND h.lease_until >= `+microseconds).Scan(&address, &epoch)
	for _, p := range s.programs {
		if err == nil && p.url == address {
			return p, epoch
		}
	}
	return nil, 0
}

// leads waits until somebody leads who did not do so under the epoch before.
func (s *site) leads(before int64) *program {
	s.t.Helper()
	var leader *program
	s.until("a hub leads", func() (bool, string) {
		p, epoch := s.leader()
		leader = p
		return p != nil && epoch > before, fmt.Sprint("epoch ", epoch)
	})
	return leader
}

const email = "hubs@example.com"

func newJar(t testing.TB) http.CookieJar {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return jar
}

// setUp makes the first administrator, and the key with which all else is asked.
func (s *site) setUp(client rig.Client) {
	s.t.Helper()
	s.api, s.person, s.password = client, client, rand.Text()
	s.person.Jar = newJar(s.t)
	s.until("the pages answer", func() (bool, string) {
		response, err := http.Get(client.URL + "/readyz")
		if err != nil {
			return false, err.Error()
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK, response.Status
	})
	rig.Post[api.User](s.person, "/api/custom/setup", api.SetupRequest{BootstrapToken: s.token, Email: email, Password: s.password, Name: "Hubs"}, http.StatusCreated)
	rig.Post[api.User](s.person, "/api/custom/login", api.LoginRequest{Email: email, Password: s.password}, http.StatusOK)
	account := rig.Post[api.ServiceAccount](s.person, "/api/custom/service-accounts", api.ServiceAccountRequest{Name: "hubs", Role: access.RoleAdmin}, http.StatusCreated)
	s.api.Key = rig.Post[api.IssuedKey](s.person, "/api/custom/service-accounts/"+string(account.ID)+"/keys", api.APIKeyRequest{Name: "hubs"}, http.StatusCreated).Key
}

// worker is a folderworker: a real worker whose containers are lines in files.
type worker struct {
	id      core.WorkerID
	name    string
	host    kill.Folder
	dir     string
	process *kill.Process
}

// newToken makes a token of a new worker.
func (s *site) newToken() seal.Token {
	s.t.Helper()
	issued := rig.Post[api.IssuedWorkerToken](s.api, "/api/custom/workers/tokens", api.WorkerTokenRequest{}, http.StatusCreated)
	token, err := seal.ParseToken(issued.Token)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// worker starts one that dials the balancer, and waits until it is online.
func (s *site) worker() *worker {
	s.t.Helper()
	w := &worker{name: rig.Name(), host: kill.Folder{T: s.t, Dir: s.t.TempDir()}, dir: s.t.TempDir()}
	program, env := w.host.Worker()
	env = append(env, "PATH="+os.Getenv("PATH"), "HOME="+w.dir, "SERVER_URL=https://"+s.balancer.address(), "WORKER_TOKEN="+s.newToken().Reveal(), "HOSTNAME="+w.name,
		"HEARTBEAT_INTERVAL=2", "WORKER_DATA_DIR="+w.dir, "WORKER_STACK_DIR="+filepath.Join(w.dir, "shown"))
	log := filepath.Join(s.dir, w.name+".log")
	var err error
	if w.process, err = kill.Start(kill.Program(s.t, program), env, log, kill.Point{}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := w.process.Kill(); err != nil {
			s.t.Error(err)
		}
		if s.t.Failed() {
			s.t.Logf("the end of the log of worker %s:\n%s", w.name, w.process.Tail())
		}
	})
	w.id = s.linked(w.name)
	return w
}

// linked waits until a hub that is there holds the link of the worker of this name.
func (s *site) linked(name string) (id core.WorkerID) {
	s.t.Helper()
	s.until("the link of "+name, func() (bool, string) {
		err := s.db.QueryRow(`SELECT w.id FROM workers w JOIN hubs h ON h.id = w.hub_id WHERE w.hostname = $1 AND w.connected_at > w.left_at AND h.lease_until >= `+microseconds, name).Scan(&id)
		return err == nil, fmt.Sprint(err)
	})
	return id
}

// holder returns the program that holds a worker's link; nil: none does.
func (s *site) holder(id core.WorkerID) *program {
	s.t.Helper()
	var address string
	if err := s.db.QueryRow(`SELECT h.url FROM workers w JOIN hubs h ON h.id = w.hub_id WHERE w.id = $1 AND w.connected_at > w.left_at`, id).Scan(&address); err != nil {
		return nil
	}
	for _, p := range s.programs {
		if p.url == address {
			return p
		}
	}
	return nil
}

// count returns the one number that a query gives.
func (s *site) count(query string, args ...any) (n int) {
	s.t.Helper()
	if err := s.db.QueryRow(query, args...).Scan(&n); err != nil {
		if strings.Contains(err.Error(), "does not exist") {
			return 0 // no hub has made the tables yet
		}
		s.t.Fatalf("%s: %v", query, err)
	}
	return n
}

func (s *site) until(what string, holds func() (bool, string)) {
	s.t.Helper()
	rig.Until(s.t, patience, what, holds)
}
