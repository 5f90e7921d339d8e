package allinone

import (
	"context"
	"log/slog"
	"os"
	"time"

	"berth/core"
	"berth/core/config"
)

// Config is what Run needs beyond the environment's variables.
type Config struct {
	Server  config.Server
	Version string
	Log     *slog.Logger // nil: the default logger
	Now     core.Clock   // nil: time.Now

	// WorkerDataDir and WorkerStackDir are those of the worker inside, when LOCAL_WORKER is true.
	WorkerDataDir  string
	WorkerStackDir string

	// Beside, when set, runs next to the server from when every port is open until the end.
	Beside func(ctx context.Context, d Desks) error
	// Ready, when set, is called once every port is open.
	Ready func(Addresses)
}

// Addresses says where a running server listens.
type Addresses struct {
	HTTP   string // host:port
	Worker string // host:port of TLS_WORKER_PORT
}

// LogValue implements slog.LogValuer: a hub without handlers has no HTTP address to tell.
func (a Addresses) LogValue() slog.Value {
	all := []slog.Attr{slog.String("workers", a.Worker)}
	if a.HTTP != "" {
		all = append([]slog.Attr{slog.String("http", a.HTTP)}, all...)
	}
	return slog.GroupValue(all...)
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	return c
}

// lastWords is how long requests under way have to be told that nothing is known; the
// database answers nobody any more.
const lastWords = time.Second

// broken ends the process: a commit failed in a way that leaves the state on disk unknown,
// and going on could show what is not stored. The next start finds out what is.
func (c Config) broken(err error) {
	c.Log.Error("the database could not be written; ending, so that nothing is shown that is not stored. "+
		"Check the disk below DATA_DIR and start again; what was acknowledged is stored", "error", err)
	time.AfterFunc(lastWords, func() { os.Exit(config.ExitBroken) })
}
