package jobs

import "berth/core"

// Brief is a job as lists of other things name it.
type Brief struct {
	ID       core.JobID
	Name     string
	Path     string // of its folder in the repository
	Standing Standing
}
