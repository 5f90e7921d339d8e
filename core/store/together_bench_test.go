package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"berth/core/store"
)

// BenchmarkWriters writes small rows from so many goroutines at once, with a commit for each and
// with commits that are shared.
func BenchmarkWriters(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		for _, way := range []string{"apart", "together"} {
			b.Run(fmt.Sprintf("%d/%s", writers, way), func(b *testing.B) {
				db, _ := migrated(b)
				store.Together(db, way == "together")
				var next atomic.Int64
				var all sync.WaitGroup
				b.ResetTimer()
				for range writers {
					all.Go(func() {
						for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
							if err := db.Write(b.Context(), func(tx *store.Tx) error { return insertName(tx, fmt.Sprint(i)) }); err != nil {
								b.Error(err)
							}
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
			})
		}
	}
}
