package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"berth/core"
	"berth/core/fleet"
)

// readingStep is how many readings one statement writes.
const readingStep = 100

const readingColumns = `worker_id, at, cpu, load, cpus, memory, memory_total, disk, disk_total`

func scanReading(row scanner) (r fleet.Reading, err error) {
	var at int64
	err = row.Scan(&r.Worker, &at, &r.CPU, &r.Load, &r.CPUs, &r.Memory, &r.MemoryTotal, &r.Disk, &r.DiskTotal)
	r.At = fromMicros(at)
	return r, err
}

// SaveReadings stores how hosts are, each in the slot of its time, in the place of what the slot held. Those of workers
// that are no more are left out.
func (s *Store) SaveReadings(ctx context.Context, all []fleet.Reading) error {
	_, err := write(ctx, s, func(tx *Tx) (none struct{}, err error) {
		known, err := many(tx, scalar[core.WorkerID], `SELECT id FROM workers WHERE revoked = 0 ORDER BY id LIMIT ?`, maxWorkers)
		if err != nil {
			return none, err
		}
		all := slices.DeleteFunc(slices.Clone(all), func(r fleet.Reading) bool {
			_, found := slices.BinarySearch(known, r.Worker)
			return !found
		})
		for some := range slices.Chunk(all, readingStep) {
			var args []any
			for _, r := range some {
				args = append(args, r.Worker, fleet.Slot(r.At), micros(r.At), r.CPU, r.Load, r.CPUs, r.Memory, r.MemoryTotal, r.Disk, r.DiskTotal)
			}
			if _, err := tx.exec(`INSERT INTO worker_readings (worker_id, slot, at, cpu, load, cpus, memory, memory_total, disk, disk_total) VALUES `+tuples(len(some), 10)+`
				ON CONFLICT (worker_id, slot) DO UPDATE SET at = excluded.at, cpu = excluded.cpu, load = excluded.load, cpus = excluded.cpus, memory = excluded.memory,
				memory_total = excluded.memory_total, disk = excluded.disk, disk_total = excluded.disk_total`, args...); err != nil {
				return none, err
			}
		}
		return none, nil
	})
	return err
}

// Readings returns how a worker's host was in the time of fleet.ReadingsFor before now, oldest first.
func (s *Store) Readings(ctx context.Context, id core.WorkerID, now time.Time) ([]fleet.Reading, error) {
	return read(ctx, s, func(tx *Tx) ([]fleet.Reading, error) {
		all, err := many(tx, scanReading, `SELECT `+readingColumns+` FROM worker_readings WHERE worker_id = ? AND at > ? ORDER BY slot LIMIT ?`,
			id, micros(now.Add(-fleet.ReadingsFor)), fleet.Readings)
		slices.SortFunc(all, func(a, b fleet.Reading) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Worker, b.Worker)) })
		return all, err
	})
}

// NewestReadings returns how the hosts of these workers are, of those that were heard of in the last two slots.
func (s *Store) NewestReadings(ctx context.Context, ids []core.WorkerID, now time.Time) (map[core.WorkerID]fleet.Reading, error) {
	found := make(map[core.WorkerID]fleet.Reading, len(ids))
	_, err := read(ctx, s, func(tx *Tx) (none struct{}, err error) {
		for some := range slices.Chunk(ids, readingStep) {
			args := newestOf(now)
			for _, id := range some {
				args = append(args, id)
			}
			all, err := many(tx, scanReading, `SELECT `+readingColumns+` FROM `+newest+` WHERE worker_id IN `+tuples(1, len(some))+` ORDER BY worker_id LIMIT ?`, append(args, readingStep)...)
			if err != nil {
				return none, err
			}
			for _, r := range all {
				found[r.Worker] = r
			}
		}
		return none, nil
	})
	return found, err
}

// newest are the readings of the last two slots, of each worker the newer. It takes the two slots and from when they count.
const newest = `(SELECT ` + readingColumns + ` FROM worker_readings r WHERE slot IN (?, ?) AND at > ?
	AND NOT EXISTS (SELECT 1 FROM worker_readings n WHERE n.worker_id = r.worker_id AND n.slot = ? AND n.at > r.at)) AS newest`

func newestOf(now time.Time) []any {
	slot, before := fleet.Slot(now), fleet.Slot(now.Add(-fleet.ReadingEvery))
	return []any{slot, before, micros(now.Add(-2 * fleet.ReadingEvery)), slot}
}

// FleetLoad returns how busy the hosts of workers are that were heard of in the last two slots; of the busiest and of
// those whose disk is nearly full at most limit.
func (s *Store) FleetLoad(ctx context.Context, now time.Time, limit int) (l fleet.Load, err error) {
	args := newestOf(now)
	type band struct{ tenth, hosts int }
	return read(ctx, s, func(tx *Tx) (fleet.Load, error) {
		bands, err := many(tx, func(row scanner) (b band, err error) { return b, row.Scan(&b.tenth, &b.hosts) },
			`SELECT CASE WHEN cpu > 999 THEN 9 ELSE cpu / 100 END, count(*) FROM `+newest+` WHERE cpu >= 0 GROUP BY 1 ORDER BY 1 LIMIT 10`, args...)
		if err != nil {
			return l, err
		}
		for _, b := range bands {
			l.Bands[b.tenth] = b.hosts
		}
		if l.Busiest, err = many(tx, scanReading, `SELECT `+readingColumns+` FROM `+newest+` WHERE cpu >= 0 ORDER BY cpu DESC, worker_id LIMIT ?`, append(args, limit)...); err != nil {
			return l, err
		}
		l.Full, err = many(tx, scanReading, `SELECT `+readingColumns+` FROM `+newest+` WHERE disk_total > 0 AND disk * 1000 >= disk_total * ? ORDER BY disk * 1000 / disk_total DESC, worker_id LIMIT ?`,
			append(args, fleet.FullDisk, limit)...)
		return l, err
	})
}
