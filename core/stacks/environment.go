package stacks

import "berth/core"

// Environment is what a stack's folder, as it was fetched last, makes of its variables.
type Environment struct {
	Commit   core.Commit         `json:"commit"`
	File     string              `json:"file"`     // the secrets file's path in the repository; empty: there is none
	Provided []string            `json:"provided"` // names that the secrets file provides, sorted
	Missing  []string            `json:"missing"`  // names that the Compose file reads and nobody provides, sorted
	Uses     map[string][]string `json:"uses"`     // compose services by the name of the secret variable that reaches them
	Problem  string              `json:"problem"`  // why the folder, or its secrets file, cannot be read; empty: nothing is wrong
}
