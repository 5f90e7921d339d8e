package metrics

// ownSnapshots are the families about what workers report.
type ownSnapshots struct{ dropped *vector }

func (s *ownSnapshots) declare(o *Own) {
	s.dropped = o.declare(TypeCounter, "berth_metrics_dropped_series_total", "Series that were left out of the metrics, by reason.", []string{"reason"})
	for _, r := range []Reason{Unreadable, Duplicate, Clash, TooMany, TooLarge} {
		s.dropped.add(0, string(r))
	}
}

// Dropped counts series that were left out.
func (o *Own) Dropped(reason Reason, n int) { o.snapshots.dropped.add(float64(n), string(reason)) }
