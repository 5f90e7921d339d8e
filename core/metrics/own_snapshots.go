package metrics

// ownSnapshots are the families about what workers report.
type ownSnapshots struct{ came, dropped *vector }

// What becomes of a worker's snapshot.
const (
	snapshotWhole   = "whole"
	snapshotChanges = "changes"
	snapshotIgnored = "ignored" // its worker is not linked, or it came too soon after the one before
	snapshotRefused = "refused" // it is too large
)

func (s *ownSnapshots) declare(o *Own) {
	s.came = o.declare(TypeCounter, "berth_metrics_snapshots_total",
		"Snapshots of workers, by what became of them: whole or only changes, and taken in; ignored, because the worker had no link or the last one was too young; refused, because of its size.", []string{"result"})
	for _, result := range []string{snapshotWhole, snapshotChanges, snapshotIgnored, snapshotRefused} {
		s.came.add(0, result)
	}
	s.dropped = o.declare(TypeCounter, "berth_metrics_dropped_series_total", "Series that were left out of the metrics, by reason.", []string{"reason"})
	for _, r := range []Reason{Unreadable, Duplicate, Clash, TooMany, TooLarge} {
		s.dropped.add(0, string(r))
	}
}

// Snapshot counts a worker's snapshot by what became of it.
func (o *Own) Snapshot(result string) { o.snapshots.came.add(1, result) }

// Dropped counts series that were left out.
func (o *Own) Dropped(reason Reason, n int) { o.snapshots.dropped.add(float64(n), string(reason)) }
