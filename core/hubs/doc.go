// Package hubs owns what hubs are to each other and to handlers that run elsewhere: who is there,
// who holds which lease, and for how long.
//
// Any number of hubs may work on one PostgreSQL database. Each writes a row that says where it is
// reached, and renews it; one whose row was not renewed for LeaseTime is taken to be gone, and its
// workers with it. Whoever holds the lease Duties does what must happen once: looks at
// repositories, prepares deployments, deletes what is old. A lease has an epoch that rises with each
// change of holder; the store refuses what is written under an old one, so a hub that slept through
// its lease can change nothing when it wakes.
//
// The clock of all this is the database's. The package must not know SQL, HTTP or links. Start with
// Hub and Lease.
package hubs
