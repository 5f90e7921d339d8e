package metrics

import (
	"time"

	"berth/core/backups"
)

// ownBackups are the families about backups. An installation on PostgreSQL has none.
type ownBackups struct{ made, took, there, size, last *vector }

func (b *ownBackups) declare(o *Own) {
	b.made = o.declare(TypeCounter, "berth_backups_total", "Backups that were begun, by how they ended: one that could not be read again has failed.", []string{"result"})
	b.took = o.declare(TypeGauge, "berth_backup_last_duration_seconds", "How long the newest backup took, until it was read again.", nil)
	b.there = o.declare(TypeGauge, "berth_backups_kept", "Backups that are kept, by why they were made.", []string{"reason"})
	b.size = o.declare(TypeGauge, "berth_backup_last_size_bytes", "Size of the newest backup.", nil)
	b.last = o.declare(TypeGauge, "berth_backup_last_success_timestamp_seconds", "Time when the newest backup was made; absent while there is none.", nil)
}

// BackedUp counts an attempt to make a backup.
func (o *Own) BackedUp(ok bool, took time.Duration) {
	o.backups.made.add(1, results[ok])
	if ok {
		o.backups.took.set(took.Seconds())
	}
}

// KnowBackups sets what backups there are, newest first.
func (o *Own) KnowBackups(all []backups.Backup) {
	for _, ok := range []bool{true, false} {
		o.backups.made.add(0, results[ok])
	}
	there := map[string]float64{}
	for _, why := range []backups.Reason{backups.ByHand, backups.BySchedule, backups.BeforeRestore, backups.BeforeUpgrade, backups.Uploaded} {
		there[string(why)] = 0
	}
	newest := backups.Backup{}
	for _, b := range all {
		there[string(b.Head.Reason)]++
		if newest.Name == "" && b.Head.Reason != backups.Uploaded {
			newest = b
		}
	}
	o.backups.there.replace(there)
	if newest.Name == "" {
		o.backups.size.end()
		o.backups.last.end()
		return
	}
	o.backups.size.set(float64(newest.Size))
	o.backups.last.set(float64(newest.Head.MadeAt.Unix()))
}
