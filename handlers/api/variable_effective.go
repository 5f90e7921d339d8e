package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// EnvironmentReader reads what a stack's folder makes of its variables; the hub does.
type EnvironmentReader interface {
	Environment(ctx context.Context, id core.StackID) (stacks.Environment, error)
}

// EffectiveLister joins it with the variables that are stored.
type EffectiveLister interface {
	Effective(ctx context.Context, stack core.StackID, around variables.Surroundings) ([]variables.Effective, error)
}

// RotationReader knows which values that run are older than what their providers hold.
type RotationReader interface {
	Rotation(ctx context.Context, stack core.StackID) (stacks.Rotation, error)
}

// EffectiveAnswer is everything that a stack sees of variables.
type EffectiveAnswer struct {
	Known       bool                `json:"known"`        // false: no hub could be asked, so the secrets file, services and missing are not known
	Commit      core.Commit         `json:"commit"`       // that was fetched last, which this is about
	SecretsFile string              `json:"secrets_file"` // its path in the repository; "" when there is none
	Problem     string              `json:"problem"`      // why the folder or its secrets file cannot be read; "" when nothing is wrong
	Variables   []EffectiveVariable `json:"variables"`    // by name
	Missing     []string            `json:"missing"`      // names that the Compose file reads and nobody provides
}

// EffectiveVariable is a name and who provides its value; the value is not in it.
type EffectiveVariable struct {
	Name           string             `json:"name"`
	Source         variables.Source   `json:"source"`      // sops, stack or global: whose value wins
	VariableID     core.VariableID    `json:"variable_id"` // "" for sops
	Secret         bool               `json:"secret"`
	SecretProvider string             `json:"secret_provider"` // internal, vault or manager; "" for sops and when it is no secret
	Shadows        []variables.Source `json:"shadows"`         // who has the name too, and loses
	Services       []string           `json:"services"`        // compose services that a secret reaches
	StaleSince     *time.Time         `json:"stale_since"`     // since when what runs is older than what the provider holds; null: it is not
}

// ListEffective answers with everything that a stack sees of variables.
func ListEffective(finder StackFinder, environment EnvironmentReader, lister EffectiveLister, rotations RotationReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := namedStack(r, finder)
		if err != nil {
			return err
		}
		env, err := environment.Environment(r.Context(), s.ID)
		away := fault.CodeOf(err) == "hub.away"
		if err != nil && !away {
			return err
		}
		rotation, err := rotations.Rotation(r.Context(), s.ID)
		if err != nil {
			return err
		}
		all, err := lister.Effective(r.Context(), s.ID, variables.Surroundings{Provided: env.Provided, Uses: env.Uses, Stale: rotation.Stale, Since: rotation.Since})
		if err != nil {
			return err
		}
		answer := EffectiveAnswer{Known: !away, Commit: env.Commit, SecretsFile: env.File, Problem: env.Problem, Variables: []EffectiveVariable{}, Missing: orEmpty(env.Missing)}
		for _, v := range all {
			answer.Variables = append(answer.Variables, EffectiveVariable{Name: v.Name, Source: v.Source, VariableID: v.Variable.ID, Secret: v.Secret,
				SecretProvider: v.Variable.Provider, Shadows: orEmpty(v.Shadows), Services: orEmpty(v.Services), StaleSince: optionalTime(v.Since)})
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}
