package backups

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"berth/core"
	"berth/core/backups"
	"berth/core/fault"
)

// Server looks at the backups of a database server: at what it says of itself, and at dumps in a folder of this host.
// Every field is required.
type Server struct {
	Archive backups.Looker
	Dir     string        // where files named *.dump are looked for, in pg_dump's custom format
	Every   time.Duration // how often a backup is wanted; 0: nobody said
	Meter   interface {
		// KnowDatabase sets how far what is safe reaches, zero for nothing, and how often a backup is wanted.
		KnowDatabase(safe time.Time, every time.Duration)
	}
	Now core.Clock
	Log *slog.Logger
}

// lookEvery is how often the figures are renewed.
const lookEvery = time.Minute

// Run keeps the figures, and tells in the log when something begins to be missing, until ctx ends.
func (s Server) Run(ctx context.Context) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	said := ""
	for {
		if d, err := s.Look(ctx); err == nil {
			s.Meter.KnowDatabase(d.Safe(), s.Every)
			if d.Problem != said && d.Problem != "" {
				s.Log.Warn("the database's backups", "problem", d.Problem, "dumps", s.Dir)
			}
			said = d.Problem
		} else if ctx.Err() == nil {
			s.Log.Warn("it is not known how the database is backed up", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// Look implements backups.Looker. A server that does not say how it is with its log is judged by the dumps alone.
func (s Server) Look(ctx context.Context) (backups.OfDatabase, error) {
	d, err := s.Archive.Look(ctx)
	if fault.Is(err, fault.Unavailable) || ctx.Err() != nil {
		return d, err
	}
	if err != nil {
		d.Unread = "The database server does not say whether it archives its log."
		s.Log.Warn("the database server does not say whether it archives its log", "error", err)
	}
	d.Dumps, d.Program = s.Dir, program(ctx)
	if err := newestDump(s.Dir, &d); err != nil {
		return d, err
	}
	d.Judge(s.Now(), s.Every)
	return d, nil
}

// dumpHead is how a dump in pg_dump's custom format begins.
const dumpHead = "PGDMP"

// newestDump finds the dump that was written last. A folder that is not there has none, and what is no dump is passed over.
func newestDump(dir string, d *backups.OfDatabase) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		about, err := e.Info()
		if err != nil || !about.Mode().IsRegular() || !strings.HasSuffix(e.Name(), ".dump") || !about.ModTime().After(d.Dumped) || !isDump(filepath.Join(dir, e.Name())) {
			continue
		}
		d.Dump, d.Dumped, d.DumpSize = e.Name(), about.ModTime().UTC(), about.Size()
	}
	return nil
}

func isDump(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(dumpHead))
	_, err = io.ReadFull(file, head)
	return err == nil && string(head) == dumpHead
}

// program returns what pg_dump of this host says that it is; empty where there is none.
func program(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "pg_dump", "--version").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
