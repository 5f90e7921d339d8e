package metrics

import (
	"sync"
	"sync/atomic"
	"time"
)

// ownStore are the families about the database.
type ownStore struct {
	full, size, connections, ended, took *vector

	open atomic.Pointer[func() (inUse, idle int)] // nil: not known

	mu      sync.Mutex
	counted [2]int // guarded by mu: how many were in use and idle when they were counted last
}

func (s *ownStore) declare(o *Own) {
	s.counted = [2]int{-1, -1} // not yet
	s.full = o.declare(TypeGauge, "berth_store_disk_full", "1 while the disk below the database is full, so that nothing new is begun, else 0.", nil)
	s.size = o.declare(TypeGauge, "berth_store_size_bytes", "Size of the database.", nil)
	s.connections = o.declare(TypeGauge, "berth_store_connections", "Connections of this process to the database, by state.", []string{"state"})
	s.ended = o.declare(TypeCounter, "berth_store_transactions_total",
		"Transactions of this process, by kind (read, write) and how they ended: committed; rolled_back, by what ran in them or because they met another; failed, by the database.", []string{"kind", "result"})
	s.took = o.declare(TypeHistogram, "berth_store_transaction_duration_seconds", "Time that a transaction took, the wait for a connection included.", []string{"kind"},
		0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
}

// Room sets whether the disk has room to begin something new.
func (o *Own) Room(room bool) { o.store.full.set(truth(!room)) }

// StoreSize sets how large the database is. Only the hub that leads says so.
func (o *Own) StoreSize(bytes int64) { o.store.size.set(float64(bytes)) }

// Connections says how to count the connections to the database: open is called at each scrape, and asks nobody.
func (o *Own) Connections(open func() (inUse, idle int)) { o.store.open.Store(&open) }

// count reads how many connections there are now.
func (s *ownStore) count() {
	open := s.open.Load()
	if open == nil {
		return
	}
	inUse, idle := (*open)()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := [2]int{inUse, idle}; now != s.counted {
		s.counted = now
		s.connections.replace(map[string]float64{"in_use": float64(inUse), "idle": float64(idle)})
	}
}

// Transaction counts a transaction by its kind and its end; both are words of core/store.
func (o *Own) Transaction(kind, result string, took time.Duration) {
	o.store.ended.add(1, kind, result)
	o.store.took.observe(took.Seconds(), kind)
}
