package api

import (
	"context"
	"net/http"

	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// SecretPicker finds what can be chosen of a secret backend.
type SecretPicker interface {
	Pick(ctx context.Context, slug string, s integrations.Step) ([]integrations.Choice, error)
}

// ChoiceAnswer is something that can be picked; a value never is in it.
type ChoiceAnswer struct {
	ID     string `json:"id"`     // what the next step or the reference takes
	Name   string `json:"name"`   // for people
	Folder bool   `json:"folder"` // there is more below it
}

// PickSecret answers one step of a picker. The query has what the step needs, each under its own name.
func PickSecret(picker SecretPicker, kind integrations.StepKind) http.Handler {
	slug := slugOf(kind)
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		step := integrations.Step{Kind: kind, Mount: query.Get("mount"), Path: query.Get("path"), Project: query.Get("project"), Environment: query.Get("environment")}
		if kind == integrations.StepPaths {
			step.Path = query.Get("prefix")
		}
		if err := fault.BadFields("integration.invalid_step", missingOf(step)); err != nil {
			return err
		}
		choices, err := picker.Pick(r.Context(), slug, step)
		if err != nil {
			return err
		}
		items := endpoint.Items[ChoiceAnswer]{Items: []ChoiceAnswer{}}
		for _, c := range choices {
			items.Items = append(items.Items, ChoiceAnswer(c))
		}
		return endpoint.JSON(w, http.StatusOK, items)
	})
}

func slugOf(kind integrations.StepKind) string {
	switch kind {
	case integrations.StepMounts, integrations.StepPaths, integrations.StepFields:
		return secrets.Vault
	}
	return secrets.Manager
}

// missingOf names what a step needs and was not given.
func missingOf(s integrations.Step) []fault.Field {
	needs := map[integrations.StepKind]map[string]string{
		integrations.StepPaths:        {"mount": s.Mount},
		integrations.StepFields:       {"mount": s.Mount, "path": s.Path},
		integrations.StepEnvironments: {"project": s.Project},
		integrations.StepSecrets:      {"project": s.Project, "environment": s.Environment},
	}
	var bad []fault.Field
	for _, name := range []string{"mount", "path", "project", "environment"} {
		if value, needed := needs[s.Kind][name]; needed && value == "" {
			bad = append(bad, fault.Field{Path: name, Problem: "is required: what was chosen in the step before"})
		}
	}
	return bad
}
