package jobs

import (
	"berth/core"
	"berth/core/fault"
)

// ReadDefinition checks a decoded job.yaml and fills in the defaults. Every problem is reported at once, with its
// line where the document knows it, and what Refusals says too. The file is named in the fault: Invalid "job.invalid".
func ReadDefinition(file string, doc core.Document) (Definition, error) {
	return Definition{}, nil
}

// Refusals says what the policy forbids of a definition; hub and worker both judge with it. None: it may run.
func Refusals(d Definition) []fault.Field { return nil }

// ConfigPath returns the path in the repository of a config file that a job in folder names. Invalid "job.invalid"
// when it leaves the repository.
func ConfigPath(folder, file string) (string, error) { return file, nil }
