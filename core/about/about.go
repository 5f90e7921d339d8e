// Package about says what program an installation runs, and how it is put up. It must not know anything about what the
// installation does: that is told to everybody who may look at it at all, so nothing of it is secret. Start with Installation.
package about

import (
	"runtime/debug"
	"time"
)

// Where the parts of an installation are.
const (
	SQLite     = "SQLite"
	PostgreSQL = "PostgreSQL"

	HubWithin = "in this process"
	HubShared = "in this process, beside others on the same database"
	HubApart  = "in a process of its own"

	HostServer   = "server"
	HostFunction = "function host"
)

// Installation is what is known of a program and of how it is put up.
type Installation struct {
	Version  string
	Schema   int    // of the database that the program needs: the number of its last migration
	Database string // SQLite or PostgreSQL
	Hub      string // HubWithin, HubShared or HubApart
	Host     string // HostServer or HostFunction
	Began    time.Time
	Build    Build
}

// Build is what the linker wrote into the program. What it did not write is empty.
type Build struct {
	Commit   string // full hash
	Changed  bool   // the source was not as in the commit
	Go       string // release: "go1.26.8"
	Platform string // "linux/amd64"
	Modules  []Module
}

// Module is somebody else's work that the program contains.
type Module struct{ Path, Version string }

// ReadBuild reads what was written into this program.
func ReadBuild() Build {
	known, found := debug.ReadBuildInfo()
	if !found {
		return Build{}
	}
	return buildOf(known)
}

func buildOf(known *debug.BuildInfo) Build {
	settings := map[string]string{}
	for _, s := range known.Settings {
		settings[s.Key] = s.Value
	}
	b := Build{Commit: settings["vcs.revision"], Changed: settings["vcs.modified"] == "true", Go: known.GoVersion}
	if settings["GOOS"] != "" {
		b.Platform = settings["GOOS"] + "/" + settings["GOARCH"]
	}
	for _, m := range known.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Modules = append(b.Modules, Module{m.Path, m.Version})
	}
	return b
}
