// Package jobs owns container jobs: what a job.yaml says, when a job is due, what its overlapping
// runs do to each other, and the life of a run.
//
// # One run, from its time to its end
//
//	Schedule.Next   the next time, by the job's cron text and time zone
//	Firing          the leading hub makes of a time that has come: runs, or the reason why there is none.
//	                The store keeps it in one transaction with the job's next time, so that a time
//	                fires once, whatever the number of hubs and whenever one of them ends
//	Begin           a queued run gets its worker and its command, as soon as overlap allows
//	the worker      starts a container under a name made from the run's id, detached, and tells how it ended
//	Outcome         closes the run; one that failed may be followed by another attempt, later
//
// A run carries the definition of the commit that it was made from: a newer commit changes the next
// run, never one that is under way.
//
// It must not know YAML, SQL, the container engine or connections. Start with definition.go, then
// run.go and fire.go.
package jobs
