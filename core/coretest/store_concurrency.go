package coretest

import (
	"fmt"
	"strconv"
	"sync"

	"berth/core/store"
)

var concurrencyCases = map[string]func(storeBench){
	"writers come one after the other and lose nothing": writersLoseNothing,
	"a reader does not wait for a writer":               readersDoNotWait,
	"a writer does not wait for a reader":               writersDoNotWait,
	"readers never see half of a write":                 readersSeeWholes,
}

// together runs fn n times at once and waits for all.
func together(n int, fn func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			fn(i)
		})
	}
	close(start)
	all.Wait()
}

func writersLoseNothing(b storeBench) {
	const writers, rounds = 8, 20
	b.write(b.soon(), "count", "0")
	ctx := b.soon()
	together(writers, func(int) {
		for range rounds {
			err := b.db.Write(ctx, func(tx *store.Tx) error {
				text, err := get(tx, "count")
				if err != nil {
					return err
				}
				n, err := strconv.Atoi(text)
				if err != nil {
					return err
				}
				_, err = store.Exec(tx, `UPDATE settings SET value = ? WHERE name = 'count'`, strconv.Itoa(n+1))
				return err
			})
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
	if got := b.read(`SELECT value FROM settings WHERE name = 'count'`); got[0] != strconv.Itoa(writers*rounds) {
		b.Errorf("counted to %s, want %d", got[0], writers*rounds)
	}
}

func readersDoNotWait(b storeBench) {
	b.write(b.soon(), "a", "1")
	b.must(b.db.Write(b.soon(), func(tx *store.Tx) error {
		_, err := store.Exec(tx, `UPDATE settings SET value = '2'`)
		if got := b.read(`SELECT value FROM settings`); len(got) != 1 || got[0] != "1" {
			b.Errorf("a reader saw %q of a write that is not committed", got)
		}
		return err
	}))
	if got := b.read(`SELECT value FROM settings`); got[0] != "2" {
		b.Errorf("afterwards: %q", got)
	}
}

func writersDoNotWait(b storeBench) {
	b.write(b.soon(), "a", "1")
	b.must(b.db.Read(b.soon(), func(tx *store.Tx) error {
		_, err := get(tx, "a")
		for i := range 10 {
			b.write(b.soon(), fmt.Sprint("b", i), "")
		}
		return err
	}))
}

// readersSeeWholes moves an amount between two rows while readers add them up.
func readersSeeWholes(b storeBench) {
	b.write(b.soon(), "a", "1000")
	b.write(b.soon(), "b", "0")
	ctx := b.soon()
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				b.sums(1000)
			}
		})
	}
	for i := 1; i <= 50; i++ {
		err := b.db.Write(ctx, func(tx *store.Tx) error {
			if _, err := store.Exec(tx, `UPDATE settings SET value = ? WHERE name = 'a'`, strconv.Itoa(1000-i)); err != nil {
				return err
			}
			_, err := store.Exec(tx, `UPDATE settings SET value = ? WHERE name = 'b'`, strconv.Itoa(i))
			return err
		})
		if err != nil {
			b.Error(err)
		}
	}
	close(done)
	readers.Wait()
}

// sums checks the sum of both rows in one read transaction of two queries.
func (b storeBench) sums(want int) {
	err := b.db.Read(b.Context(), func(tx *store.Tx) error {
		sum := 0
		for _, name := range []string{"a", "b"} {
			text, err := get(tx, name)
			if err != nil {
				return err
			}
			n, err := strconv.Atoi(text)
			if err != nil {
				return err
			}
			sum += n
		}
		if sum != want {
			return fmt.Errorf("a reader saw a sum of %d, want %d", sum, want)
		}
		return nil
	})
	if err != nil {
		b.Error(err)
	}
}
