// Package disk owns no code: its tests show what real disks do to what was acknowledged. They cut
// the power below the server's database, the files of revisions and the worker's journal, and make
// writes and syncs fail or wait.
//
// The writer is a process of its own, so that it can be stopped at any instant; it prints each
// acknowledgement. Start with power_test.go.
package disk
