package hub

import (
	"sync"

	"berth/core"
)

// mirrored is the repositories whose mirrors are known to have the head that was judged last.
type mirrored struct {
	mu  sync.Mutex
	all map[core.RepositoryID]bool // guarded by mu; nil: none
}

func (m *mirrored) has(id core.RepositoryID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[id]
}

func (m *mirrored) add(id core.RepositoryID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[core.RepositoryID]bool{}
	}
	m.all[id] = true
}

// forget is for a hub that begins its duties: another one may have looked meanwhile.
func (m *mirrored) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = nil
}
