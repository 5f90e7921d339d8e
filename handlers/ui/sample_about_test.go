package ui

import (
	"fmt"
	"time"

	"berth/core/about"
)

func sampleAbout() aboutPage {
	a := about.Installation{Version: "0.4.0", Schema: 31, Database: about.PostgreSQL, Hub: about.HubApart, Host: about.HostFunction, Began: before(50 * time.Hour),
		Build: about.Build{Commit: "9f31c02d4a5e6f7a8b9c0d1e2f3a4b5c6d7e8f90", Changed: true, Go: "go1.26.8", Platform: "linux/amd64"}}
	for i := range 30 {
		a.Build.Modules = append(a.Build.Modules, about.Module{Path: fmt.Sprintf("github.com/somebody/a-module-with-a-long-name-%d/v2", i), Version: "v0.0.0-20250102150405-0123456789ab"})
	}
	return aboutOf(a, func() time.Time { return sampleNow })
}
