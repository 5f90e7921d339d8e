package stacks

import "berth/core"

// Last is the newest deployment of a stack, as lists of stacks show it.
type Last struct {
	ID        core.DeploymentID
	ErrorCode string
}

// Brief is a stack as lists of other things name it.
type Brief struct {
	ID       core.StackID
	Name     string
	Path     string // of its folder in the repository
	Status   Status
	Deleting bool
}
