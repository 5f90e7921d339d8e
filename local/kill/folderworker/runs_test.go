package main

import (
	"testing"

	"berth/hub/worker/runs"
	"berth/hub/worker/runs/contract"
)

func TestContract(t *testing.T) {
	labels := map[string]string{runs.LabelWorker: "w"}
	contract.Check(t, contract.Subject{Engine: folder{t.TempDir()},
		Talker:  runs.Spec{Name: "talker", Labels: labels, Command: []string{"80", "3", "3"}},
		Sleeper: runs.Spec{Name: "sleeper", Labels: labels, Command: []string{"3600000", "0", "0"}}})
}
