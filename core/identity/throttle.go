package identity

import (
	"sync"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/pace"
)

// The pace of tries. Successful ones do not count. An account is tried from one address
// at the first pace; all others bound what many addresses can do together.
var (
	pairRule    = pace.Rule{Burst: 10, Every: time.Minute}
	addressRule = pace.Rule{Burst: 30, Every: 2 * time.Second}
	accountRule = pace.Rule{Burst: 50, Every: 10 * time.Second}
	globalRule  = pace.Rule{Burst: 200, Every: 200 * time.Millisecond}
)

const (
	maxKeys  = 10_000 // buckets of each kind
	maxKnown = 10_000 // pairs of account and address that have signed in
	everyone = "*"
)

// throttle slows down guessing. Whoever has signed in before from an address is held to
// the pace of that account and address alone, so that nobody else can lock them out. All
// of it is in memory: a restart forgets it.
type throttle struct {
	pair, address, account, global *pace.Buckets

	mu    sync.Mutex
	known map[pair]bool // guarded by mu
}

type pair struct{ account, address string }

func (p pair) key() string { return p.account + " " + p.address }

func newThrottle(now core.Clock) *throttle {
	buckets := func(rule pace.Rule) *pace.Buckets { return pace.New(rule, maxKeys, now) }
	return &throttle{pair: buckets(pairRule), address: buckets(addressRule), account: buckets(accountRule), global: buckets(globalRule),
		known: map[pair]bool{}}
}

// try is one try that has been let through.
type try struct {
	throttle *throttle
	who      pair
	taken    []takenToken
}

type takenToken struct {
	from *pace.Buckets
	key  string
}

// begin counts a try for an account from an address. TooMany "auth.too_many" when there were too many.
func (t *throttle) begin(account, address string) (try, error) {
	at := try{throttle: t, who: pair{account, access.Network(address)}}
	wanted := []takenToken{{t.global, everyone}, {t.address, at.who.address}, {t.account, account}, {t.pair, at.who.key()}}
	if t.isKnown(at.who) {
		wanted = wanted[3:]
	}
	for _, token := range wanted {
		if wait := token.from.Take(token.key); wait > 0 {
			at.giveBack()
			return try{}, tooMany(wait)
		}
		at.taken = append(at.taken, token)
	}
	return at, nil
}

// tooMany refuses a try before wait is over, which it tells people, too: a page shows no header.
func tooMany(wait time.Duration) error {
	whole := wait.Truncate(time.Second)
	if whole < wait {
		whole += time.Second
	}
	return fault.New(fault.TooMany, "auth.too_many", "There were too many tries. Wait %s before trying again.", whole).After(wait)
}

// giveBack makes the try as if it had not been made.
func (t try) giveBack() {
	for _, token := range t.taken {
		token.from.Give(token.key)
	}
}

// succeeded takes the try back and remembers where it came from.
func (t try) succeeded() {
	t.giveBack()
	t.throttle.mu.Lock()
	defer t.throttle.mu.Unlock()
	if len(t.throttle.known) >= maxKnown {
		for other := range t.throttle.known { // any one makes room
			delete(t.throttle.known, other)
			break
		}
	}
	t.throttle.known[t.who] = true
}

func (t *throttle) isKnown(who pair) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known[who]
}
