// Command server is the Gitea that the end-to-end test of real Git hosts runs against: Gitea's own command line, with
// everything but the pages' scripts and styles, which need another tool chain and which no test asks for.
//
// It is a module of its own, which nothing that is shipped links. local/make/real-gitea.sh builds it. Usage: as Gitea's.
package main

import (
	"fmt"
	"os"

	"gitea.dev/cmd"
	"gitea.dev/modules/log"
	"gitea.dev/modules/setting"
)

func main() {
	setting.AppVer = "1.27.3" // of go.mod; what asks for the version takes it from here
	err := cmd.RunMainApp(cmd.NewMainApp(cmd.AppVersion{Version: setting.AppVer}), os.Args...)
	log.GetManager().Close() // or the last lines are lost
	if err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}
