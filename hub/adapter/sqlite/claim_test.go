package sqlite

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/hub/flock"
)

func TestADatabaseBelongsToOneServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	release, err := Claim(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(t.Context(), dir); fault.CodeOf(err) != "store.in_use" || !fault.Is(err, fault.Conflict) || !strings.Contains(fault.PublicOf(err), dir) {
		t.Errorf("a second server: %v", err)
	}
	// One that is just ending is waited for.
	second := make(chan error, 1)
	go func() {
		release, err := Claim(t.Context(), dir)
		if err == nil {
			err = release()
		}
		second <- err
	}()
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := <-second; err != nil {
		t.Errorf("after the first has ended: %v", err)
	}
}

func TestAClaimEndsWithItsProcess(t *testing.T) {
	dir := t.TempDir()
	holder := exec.Command("flock", "--no-fork", filepath.Join(dir, flock.File), "sleep", "60")
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	taken := make(chan struct{})
	go func() {
		defer close(taken)
		for { // until the other process has it
			release, err := Claim(t.Context(), dir)
			if err != nil {
				return
			}
			release()
		}
	}()
	<-taken
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	holder.Wait()
	release, err := Claim(t.Context(), dir)
	if err != nil {
		t.Fatalf("after its holder was killed: %v", err)
	}
	release()
}

func TestAClaimThatCannotBeMadeSaysWhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(t.Context(), dir); fault.CodeOf(err) != "store.open" || !strings.Contains(fault.PublicOf(err), dir) {
		t.Errorf("got %v", err)
	}
	dir = t.TempDir()
	release, err := Claim(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Claim(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("a start that is called off: %v", err)
	}
}
