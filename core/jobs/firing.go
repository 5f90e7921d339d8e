package jobs

import "time"

// Fire says what becomes of a job that is due. open are its open runs, oldest first. It has no effect but on the roster,
// and there the same one when it is asked again.
func Fire(j Job, open []Run, roster *Roster, now time.Time) Firing {
	return Firing{Next: j.NextAt}
}

// Begin says which of a job's open runs that have no command begin now, which are given up, and which go
// on waiting. open are all its open runs, oldest first. Its effect on the roster is as that of Fire.
func Begin(j Job, open []Run, roster *Roster, now time.Time) Beginning {
	return Beginning{}
}

// Due returns when a job is due, to be stored as its NextAt whenever its definition or its pause changed: a
// time that has come and did not fire yet stays due; else the next after now, and never one up to
// FiredAt. The zero: it is not due by itself.
func (j Job) Due(now time.Time) time.Time {
	return time.Time{}
}
