package worker

import (
	"strconv"

	"berth/core"
	"berth/core/wire"
)

// The labels that every container of a stack carries.
const (
	LabelStack      = "dev.berth.stack"
	LabelRevision   = "dev.berth.revision"   // that created the container; an unchanged one keeps it
	LabelCommit     = "dev.berth.commit"     // of that revision
	LabelDeployment = "dev.berth.deployment" // that created the container
)

func labelsOf(d wire.Deploy) map[string]string {
	return map[string]string{
		LabelStack:      string(d.Stack),
		LabelRevision:   strconv.Itoa(d.Revision),
		LabelCommit:     string(d.Commit),
		LabelDeployment: string(d.Deployment),
	}
}

// madeBy reports whether a container was created by this very deployment of this revision.
func madeBy(c ProjectContainer, d wire.Deploy) bool {
	return core.DeploymentID(c.Labels[LabelDeployment]) == d.Deployment && c.Labels[LabelRevision] == strconv.Itoa(d.Revision)
}

func stackOf(c ProjectContainer) core.StackID { return core.StackID(c.Labels[LabelStack]) }
