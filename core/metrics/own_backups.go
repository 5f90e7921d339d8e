package metrics

import (
	"time"

	"berth/core/backups"
)

// ownBackups are the families about backups. An installation on PostgreSQL has but last and every.
type ownBackups struct {
	made, took, there, size, last, every                           *vector
	copied, copies, copiesSize, copiesLast, copiesFail, copiesWait *vector // off site
	tried, triedLast, triedTook                                    *vector // rehearsals
}

func (b *ownBackups) declare(o *Own) {
	b.made = o.declare(TypeCounter, "berth_backups_total", "Backups that were begun, by how they ended: one that could not be read again has failed.", []string{"result"})
	b.took = o.declare(TypeGauge, "berth_backup_last_duration_seconds", "How long the newest backup took, until it was read again.", nil)
	b.there = o.declare(TypeGauge, "berth_backups_kept", "Backups that are kept, by why they were made.", []string{"reason"})
	b.size = o.declare(TypeGauge, "berth_backup_last_size_bytes", "Size of the newest backup.", nil)
	b.last = o.declare(TypeGauge, "berth_backup_last_success_timestamp_seconds", "Time when the newest backup was made, with PostgreSQL until when dumps or the archived log reach; absent while there is none.", nil)
	b.every = o.declare(TypeGauge, "berth_backup_interval_seconds", "How often a backup is made by schedule; 0: never.", nil)
	b.tried = o.declare(TypeGauge, "berth_backup_rehearsal_failing", "1 when the last rehearsal of a restore failed; absent while there was none, as what follows.", nil)
	b.triedLast = o.declare(TypeGauge, "berth_backup_rehearsal_timestamp_seconds", "Time of the last rehearsal of a restore.", nil)
	b.triedTook = o.declare(TypeGauge, "berth_backup_rehearsal_duration_seconds", "How long the last rehearsal of a restore took.", nil)
	b.copied = o.declare(TypeCounter, "berth_backup_offsite_copies_total", "Attempts to copy a backup off site, by how they ended.", []string{"result"})
	b.copies = o.declare(TypeGauge, "berth_backup_offsite_kept", "Copies of backups that are off site; absent while no storage is enabled, as what follows.", nil)
	b.copiesSize = o.declare(TypeGauge, "berth_backup_offsite_size_bytes", "Size of all copies of backups off site.", nil)
	b.copiesLast = o.declare(TypeGauge, "berth_backup_offsite_last_success_timestamp_seconds", "Time when the newest backup was made of which there is a copy off site; absent while there is none.", nil)
	b.copiesFail = o.declare(TypeGauge, "berth_backup_offsite_failing", "1 while copying off site fails, or the storage does not say what it has.", nil)
	b.copiesWait = o.declare(TypeGauge, "berth_backup_offsite_waiting", "Backups of which there is no copy off site yet.", nil)
}

// Rehearsed sets how the last rehearsal of a restore ended.
func (o *Own) Rehearsed(r backups.Rehearsal) {
	if r.Name == "" {
		return
	}
	failing := 0.0
	if r.Problem != "" {
		failing = 1
	}
	o.backups.tried.set(failing)
	o.backups.triedLast.set(float64(r.At.Unix()))
	o.backups.triedTook.set(r.Took.Seconds())
}

// CopiedAway counts an attempt to copy a backup off site.
func (o *Own) CopiedAway(ok bool) { o.backups.copied.add(1, results[ok]) }

// KnowOffsite sets what is known about copies off site.
func (o *Own) KnowOffsite(s backups.Standing) {
	b := &o.backups
	if !s.On {
		for _, v := range []*vector{b.copies, b.copiesSize, b.copiesLast, b.copiesFail, b.copiesWait} {
			v.end()
		}
		return
	}
	for _, ok := range []bool{true, false} {
		b.copied.add(0, results[ok])
	}
	failing := 0.0
	if s.Problem != "" {
		failing = 1
	}
	b.copiesFail.set(failing)
	b.copies.set(float64(s.Copies))
	b.copiesSize.set(float64(s.Size))
	b.copiesWait.set(float64(s.Waiting))
	if s.Newest.IsZero() {
		b.copiesLast.end()
		return
	}
	b.copiesLast.set(float64(s.Newest.Unix()))
}

// BackedUp counts an attempt to make a backup.
func (o *Own) BackedUp(ok bool, took time.Duration) {
	o.backups.made.add(1, results[ok])
	if ok {
		o.backups.took.set(took.Seconds())
	}
}

// KnowBackups sets what backups there are, newest first, and how often one is made by schedule.
func (o *Own) KnowBackups(all []backups.Backup, every time.Duration) {
	o.backups.every.set(every.Seconds())
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
		if newest.Name == "" && b.Head.Reason != backups.Uploaded && b.Problem == "" && (b.Checked || !b.Here) {
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

// KnowDatabase sets how far what a database server keeps safe reaches, zero for nothing, and how often a backup is wanted.
func (o *Own) KnowDatabase(safe time.Time, every time.Duration) {
	o.backups.every.set(every.Seconds())
	if safe.IsZero() {
		o.backups.last.end()
		return
	}
	o.backups.last.set(float64(safe.Unix()))
}
