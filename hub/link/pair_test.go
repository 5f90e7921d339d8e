package link

import (
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

var _ Conn = (*End)(nil)

func TestPairKeepsOrderAndOwnership(t *testing.T) {
	a, b := Pair()
	frame := []byte("one")
	a.WriteFrame(frame)
	copy(frame, "xxx")
	a.WriteFrame([]byte("two"))
	a.Close()
	for _, want := range []string{"one", "two"} {
		if got, err := b.ReadFrame(); err != nil || string(got) != want {
			t.Errorf("ReadFrame = %q, %v; want %q", got, err, want)
		}
	}
	if _, err := b.ReadFrame(); err != io.EOF {
		t.Errorf("after Close: %v", err)
	}
	if err := b.WriteFrame(frame); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("writing to a closed peer: %v", err)
	}
	if _, err := a.ReadFrame(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("reading from what we closed: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func TestPairDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		begin := time.Now()
		a.SetReadDeadline(begin.Add(time.Second))
		if _, err := a.ReadFrame(); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("ReadFrame = %v after %v", err, time.Since(begin))
		}
		a.WriteFrame(make([]byte, laneBuffer))
		a.SetWriteDeadline(begin.Add(3 * time.Second))
		if err := a.WriteFrame([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) != 3*time.Second {
			t.Errorf("WriteFrame = %v after %v", err, time.Since(begin))
		}
		a.SetWriteDeadline(time.Time{})
		go b.ReadFrame()
		if err := a.WriteFrame([]byte("x")); err != nil {
			t.Errorf("WriteFrame into freed room = %v", err)
		}
	})
}

func TestPairCutAndStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		a.Stall(true)
		a.WriteFrame([]byte("late"))
		b.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := b.ReadFrame(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a stalled frame arrived: %v", err)
		}
		a.Stall(false)
		if got, err := b.ReadFrame(); err != nil || string(got) != "late" {
			t.Errorf("after the stall: %q, %v", got, err)
		}
		a.WriteFrame([]byte("lost"))
		a.Cut()
		for name, err := range map[string]error{"a": a.WriteFrame(nil), "b": b.WriteFrame(nil)} {
			if !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("%s writes after the cut: %v", name, err)
			}
		}
		if _, err := b.ReadFrame(); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("b reads after the cut: %v", err)
		}
	})
}
