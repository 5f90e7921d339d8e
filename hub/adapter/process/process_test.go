package process

import (
	"os"
	"testing"
	"time"
)

func TestFiguresFollowTheProcess(t *testing.T) {
	before := Read()
	if before.ResidentBytes < 1<<20 || before.VirtualBytes < before.ResidentBytes || before.MaxFiles < 3 || before.OpenFiles < 3 || time.Since(before.StartedAt) > time.Hour || before.StartedAt.After(time.Now()) {
		t.Errorf("figures are %+v", before)
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if after := Read(); after.OpenFiles != before.OpenFiles+1 {
		t.Errorf("%d open files, want one more than %d", after.OpenFiles, before.OpenFiles)
	}
	for deadline := time.Now().Add(10 * time.Second); Read().CPUSeconds <= before.CPUSeconds; {
		if time.Now().After(deadline) {
			t.Fatal("processor time does not rise")
		}
	}
}
