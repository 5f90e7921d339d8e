// Package model checks the protocol of deployments: random schedules, with crashes at any step,
// are run against what must always hold, the invariants I1 to I6 of invariants_test.go.
//
// There are two levels. The first runs the store's real transactions on SQLite in memory; the
// hub's duties, the link, the worker and its journal are small state machines that say in a
// few lines what the real ones do, and each of their steps may be the last before a crash. It is
// fast enough for more than a hundred thousand schedules. The second runs the real hub, store,
// worker and journal over a link in memory, with a container engine that only remembers, on
// a clock of its own, and kills hub or worker around what they make durable.
//
// Schedules come from seeds. One that fails is printed whole, with the seed; run that alone with
//
//	go test ./local/model -run TestSchedules -seed 4711 -v
//
// That the checks can fail is tested too: each of the defects in defects_test.go must be found.
//
// There is no code here but tests. Start reading at TestSchedules, then world_test.go.
package model
