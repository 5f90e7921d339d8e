package kill

import (
	"fmt"
	"math/rand/v2"
)

// Point is where a process dies: at the entry of the When-th call of Call in any of its
// threads. The zero Point kills nothing.
type Point struct {
	Call string
	When int
}

func (p Point) String() string {
	if p.Call == "" {
		return "no point"
	}
	return fmt.Sprintf("%s %d", p.Call, p.When)
}

// Victim is who dies at a point.
type Victim string

// The victims.
const (
	Server Victim = "server"
	Worker Victim = "worker"
	Both   Victim = "both"
)

// most is how often one thread makes a call while a few deployments go by: what is
// beyond would seldom be reached.
type most struct {
	call string
	n    int
}

// The calls at which the server dies: its database, files, programs that it starts and links.
var serverCalls = []most{
	{"write", 40}, {"pwrite64", 40}, {"fsync", 12}, {"pread64", 60}, {"fcntl", 120}, {"ftruncate", 1},
	{"open", 12}, {"openat", 12}, {"unlink", 2}, {"renameat", 3}, {"close", 25}, {"clone", 3},
}

// The calls at which the worker dies: its journal, its records, its containers and its link.
var workerCalls = []most{
	{"write", 30}, {"fsync", 8}, {"renameat", 4}, {"openat", 20}, {"unlinkat", 3}, {"close", 16}, {"read", 30}, {"connect", 2}, {"mkdirat", 3}, {"getdents64", 6},
}

// callsOf lists the calls at which a victim dies.
func callsOf(v Victim) []most {
	if v == Worker {
		return workerCalls
	}
	return serverCalls
}

// PointFor draws a point at which a victim dies. The n-th draw takes the n-th call, in turns,
// so that all of them occur; early calls are as likely as late ones in orders of magnitude.
func PointFor(v Victim, n int, random *rand.Rand) Point {
	c := callsOf(v)[n%len(callsOf(v))]
	limit := c.n
	if random.IntN(2) == 0 {
		limit = max(1, limit/4)
	}
	return Point{c.call, 1 + random.IntN(limit)}
}
