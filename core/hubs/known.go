package hubs

import "time"

// Known is a hub as it is shown to people and scrapers.
type Known struct {
	Hub               // without Pin, once it is gone
	Up      bool      // its lease runs
	Leads   bool      // it holds the lease Duties
	HeardAt time.Time // when it last gave the word that it is there, by the database's clock
	Workers int       // whose links it holds; 0 while it is not up
}

// Remember is how long a hub is shown that died without a word, counted from when it was last
// heard of. It goes before when another hub begins at the same URL, which is how one that was
// started again is known; one that says goodbye goes at once.
const Remember = 24 * time.Hour
