package hub

import (
	"testing"
	"testing/synctest"
)

func TestAChoreIsDoneAfterEachWakeAndNeverTwiceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c chore
		c.wake() // before there is any work
		begun, goOn := make(chan struct{}, 100), make(chan struct{})
		c.begin(func() {
			begun <- struct{}{}
			<-goOn
		})
		synctest.Wait()
		if len(begun) != 1 {
			t.Fatalf("begun %d times; a wake before begin counts", len(begun))
		}
		for range 5 {
			c.wake()
		}
		synctest.Wait()
		if len(begun) != 1 {
			t.Fatalf("begun %d times while it was being done", len(begun))
		}
		goOn <- struct{}{}
		synctest.Wait()
		if len(begun) != 2 {
			t.Fatalf("begun %d times; it was woken meanwhile", len(begun))
		}
		goOn <- struct{}{}
		synctest.Wait()
		if c.busy != nil || len(begun) != 2 {
			t.Errorf("begun %d times, and a goroutine is left: %v; there was nothing more to do", len(begun), c.busy != nil)
		}
		c.wake()
		synctest.Wait()
		if len(begun) != 3 {
			t.Errorf("begun %d times; it was woken at rest", len(begun))
		}
		c.wake()
		ended := make(chan struct{})
		go func() {
			c.end()
			close(ended)
		}()
		synctest.Wait()
		select {
		case <-ended:
			t.Error("end did not wait for the work")
		default:
		}
		goOn <- struct{}{}
		<-ended
		c.wake()
		synctest.Wait()
		if len(begun) != 3 {
			t.Errorf("begun %d times; it had ended", len(begun))
		}
		c.end()
	})
}
