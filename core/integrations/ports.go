package integrations

import (
	"context"

	"berth/core/access"
	"berth/core/backups"
	"berth/core/seal"
	"berth/core/secrets"
)

// Store keeps what people configured.
type Store interface {
	// Integrations returns what is kept, by slug.
	Integrations(ctx context.Context) (map[string]Stored, error)
	// EditIntegration stores what edit makes of an integration, in one transaction with its audit
	// event. edit is given one of Version 0 when nothing is kept. It may be called again, so it has no
	// effect of its own; its error is returned as it is and nothing is stored.
	EditIntegration(ctx context.Context, slug string, edit func(Stored) (Stored, error), by access.Principal) error
	// DeleteIntegration removes what is kept, with its audit event. NotFound "integration.not_found" when nothing is.
	DeleteIntegration(ctx context.Context, slug string, by access.Principal) error
}

// Teller sends a test message to a notification target, made of one version of its settings.
type Teller interface {
	// TellTest says that messages arrive. The fault says what a person can do.
	TellTest(ctx context.Context, kind string, o Opened) error
}

// Seals closes secret columns; *seal.Ring does.
type Seals interface {
	Seal(place seal.Place, plaintext []byte) (seal.Sealed, error)
}

// Opener opens secret columns; *seal.Ring does.
type Opener interface {
	Open(place seal.Place, sealed seal.Sealed) ([]byte, error)
}

// Ring does both.
type Ring interface {
	Seals
	Opener
}

// Backend is a secret backend, made of one version of its settings.
type Backend interface {
	secrets.Provider
	// Test asks whether the backend answers and takes the credential. The fault says what a person
	// can do.
	Test(ctx context.Context) error
	// Pick returns what can be chosen next; names only, never values.
	Pick(ctx context.Context, s Step) ([]Choice, error)
}

// Opened is what a Backend is made of.
type Opened struct {
	Settings map[string]string        // defaults filled in; every required one is there
	Secrets  map[string]secrets.Value // as Settings
}

// Maker makes a client of settings; it asks nobody.
type Maker func(Opened) (Backend, error)

// StorageMaker makes a storage of settings; it asks nobody.
type StorageMaker func(Opened) (backups.Storage, error)

// Outside is what reaches the services; *Backends in the process that can, a client of the hub elsewhere.
type Outside interface {
	// Test tries an integration as it is configured now.
	Test(ctx context.Context, slug string) error
	// Pick returns what can be chosen next.
	Pick(ctx context.Context, slug string, s Step) ([]Choice, error)
}

// StepKind says what is picked.
type StepKind string

// The steps: of vault mounts, then paths and at last fields; of manager projects, then environments
// and at last secrets.
const (
	StepMounts       StepKind = "mounts"
	StepPaths        StepKind = "paths"  // of Mount, below Path
	StepFields       StepKind = "fields" // of Mount and Path
	StepProjects     StepKind = "projects"
	StepEnvironments StepKind = "environments" // of Project
	StepSecrets      StepKind = "secrets"      // of Project and Environment, below Path
)

// Step is one step of picking a secret; what it does not need is empty.
type Step struct {
	Kind        StepKind `json:"kind"`
	Mount       string   `json:"mount"`
	Path        string   `json:"path"` // of paths: what they begin with, a folder
	Project     string   `json:"project"`
	Environment string   `json:"environment"`
}

// MaxChoices bounds what one step returns.
const MaxChoices = 5000

// Choice is something that can be picked.
type Choice struct {
	ID     string `json:"id"`     // what the next step or the reference takes
	Name   string `json:"name"`   // for people
	Folder bool   `json:"folder"` // there is more below it; of paths and secrets
}
