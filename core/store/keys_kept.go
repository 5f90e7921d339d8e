package store

import (
	"sync"

	"berth/core"
	"berth/core/identity"
)

// maxKeys is how many keys are kept; they are few, and all are dropped when there are more.
const maxKeys = 100

// keptKeys are API keys as they were read since the last commit. Where other processes write to the
// database too, nothing is kept: nobody here knows when they do.
type keptKeys struct {
	mu      sync.Mutex
	commits uint64 // of the database when keys were read
	keys    map[core.APIKeyID]identity.StoredKey
}

// get returns a key that was read since the last commit.
func (k *keptKeys) get(db *DB, id core.APIKeyID, commits uint64) (key identity.StoredKey, kept bool) {
	if db.dialect.Crowded || db.closed.Load() {
		return key, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.commits != commits {
		return key, false
	}
	key, kept = k.keys[id]
	return key, kept
}

// put keeps a key that was read after so many commits.
func (k *keptKeys) put(id core.APIKeyID, key identity.StoredKey, commits uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.commits != commits || k.keys == nil || len(k.keys) >= maxKeys {
		k.commits, k.keys = commits, map[core.APIKeyID]identity.StoredKey{}
	}
	k.keys[id] = key
}
