package config

import (
	"log/slog"
	"path/filepath"
	"time"

	"berth/core/seal"
)

// Worker is the configuration of the process worker.
type Worker struct {
	// ServerURL is https://host:port in lower case, without a slash at the end.
	ServerURL   string     `env:"SERVER_URL" required:"yes" form:"server url" unit:"https://<host>:<worker_port>" doc:"URL of the server's worker port."`
	WorkerToken seal.Token `env:"WORKER_TOKEN" required:"yes" form:"worker token" unit:"berth_wt_…" doc:"Registers and authenticates this worker; made when the worker is added."`
	// Hostname names this worker to people; a token, not the name, says who it is.
	Hostname          string        `env:"HOSTNAME" derived:"system hostname" form:"worker name" unit:"host name" doc:"Worker identifier sent at registration."`
	WorkerTags        []string      `env:"WORKER_TAGS" form:"tags" unit:"tags, comma-separated" doc:"Tags for job routing; only letters, digits, - and _; no spaces or other characters."`
	HeartbeatInterval time.Duration `env:"HEARTBEAT_INTERVAL" default:"30" form:"seconds" min:"1" max:"3600" unit:"seconds" doc:"Interval of heartbeats to the server."`
	WorkerStackDir    string        `env:"WORKER_STACK_DIR" derived:"<OS temp dir>/berth" form:"path" unit:"directory" doc:"Where the worker writes temporary compose files."`
	WorkerDataDir     string        `env:"WORKER_DATA_DIR" default:"/var/lib/berth-worker" form:"path" unit:"directory" doc:"Where the worker keeps its key, its journal and the repository content that containers mount. It must survive restarts."`
	SkipVerify        bool          `env:"WORKER_TLS_SKIP_VERIFY" default:"false" form:"switch" unit:"true or false" doc:"true skips TLS certificate verification (for a self-signed server certificate whose pin the token does not carry)."`

	WorkerAllow []string `env:"WORKER_ALLOW" form:"allowances" unit:"words and paths, comma-separated" doc:"What Compose files may have of this host beyond the default; see What a committer can do."`

	WorkerPolicyFile string `env:"WORKER_POLICY_FILE" form:"path" unit:"file" doc:"Policy of this host as JSON, which narrows what may be put here and which the server cannot weaken; see Policy."`

	LogLevel  slog.Level `env:"LOG_LEVEL" default:"info" form:"log level" unit:"debug, info, warn or error" doc:"Least severe log lines to write."`
	LogFormat LogFormat  `env:"LOG_FORMAT" default:"text" form:"log format" unit:"text or json" doc:"Form of log lines."`
}

// System is what the main found out about the machine.
type System struct {
	Hostname string // os.Hostname; empty when it is not known
	TempDir  string // os.TempDir
}

// LoadWorker reads the configuration of worker, as LoadServer does that of the server.
func LoadWorker(lookup func(string) (string, bool), environ []string, system System) (worker Worker, problems, warnings []Problem) {
	problems = load(&worker, lookup)
	setDefault(&worker.Hostname, system.Hostname)
	setDefault(&worker.WorkerStackDir, filepath.Join(system.TempDir, "berth"))
	if worker.Hostname == "" && !failed(problems)["HOSTNAME"] {
		problems = append(problems, Problem{"HOSTNAME", "is not set, and the system does not know its own name; give this worker a name"})
	}
	if worker.SkipVerify {
		warnings = append(warnings, Problem{"WORKER_TLS_SKIP_VERIFY", "is on: the worker does not check that it talks to its own server"})
	}
	return worker, problems, append(warnings, unknown(environ)...)
}
