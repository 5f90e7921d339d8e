package process

import (
	"os"
	"testing"
	"time"
)

func TestFiguresFollowTheProcess(t *testing.T) {
	started := time.Now()
	r := New(started)
	before := r.Figures()
	if before.ResidentBytes < 1<<20 || before.MaxFiles < 3 || before.OpenFiles < 3 || !before.StartedAt.Equal(started) {
		t.Errorf("figures are %+v", before)
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if after := r.Figures(); after.OpenFiles != before.OpenFiles+1 {
		t.Errorf("%d open files, want one more than %d", after.OpenFiles, before.OpenFiles)
	}
	for deadline := time.Now().Add(10 * time.Second); r.Figures().CPUSeconds <= before.CPUSeconds; {
		if time.Now().After(deadline) {
			t.Fatal("processor time does not rise")
		}
	}
}
