// Package partition holds the tests of bad networks and hostile workers: the whole server with
// its real TLS port and store, real workers behind a proxy that is slow, holds, cuts and resets, or
// in a network namespace whose way loses packets, and peers that speak the protocol with ill
// will. The container engine only remembers.
//
// Each test is named with its case of the catalogue of faults.
package partition
