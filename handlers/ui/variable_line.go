package ui

import (
	"strings"
	"time"

	"berth/core/integrations"
	"berth/core/secrets"
	"berth/core/variables"
)

// variableLine is a variable in a list.
type variableLine struct {
	Name     string
	Href     string // where it is edited; empty: not here
	Value    string // the beginning of a plain one's
	Long     bool   // there is more of it
	Empty    bool
	Secret   bool
	Provider string // that keeps a secret elsewhere
	Changed  moment
}

// shownValue is how much of a value a list shows, in bytes.
const shownValue = 120

func variableOf(v variables.Variable, href string, now time.Time) variableLine {
	line := variableLine{Name: v.Name, Href: href, Secret: v.Secret, Empty: !v.HasValue, Changed: at(v.UpdatedAt, now)}
	if v.Secret && v.Provider != secrets.Internal {
		line.Provider = providerName(v.Provider)
	}
	line.Value, line.Long = v.Value, len(v.Value) > shownValue || strings.Contains(v.Value, "\n")
	if first, _, more := strings.Cut(v.Value, "\n"); more {
		line.Value = first
	}
	if len(line.Value) > shownValue {
		line.Value = strings.ToValidUTF8(line.Value[:shownValue], "")
	}
	return line
}

// providerName is what people call a provider of secrets.
func providerName(provider string) string {
	for _, d := range integrations.Declared() {
		if d.Category != integrations.CategorySecretBackend {
			continue
		}
		if d.Slug == provider {
			return d.Name
		}
	}
	return provider
}

// keptAt says in words where an external provider keeps a value.
func keptAt(provider, reference string) string {
	switch provider {
	case secrets.Vault:
		if r, err := secrets.ParseVaultReference(reference); err == nil {
			return "mount " + r.Mount + ", secret " + r.Path + ", field " + r.Field
		}
	case secrets.Manager:
		if r, err := secrets.ParseManagerReference(reference); err == nil {
			return "project " + r.Project + ", environment " + r.Environment + ", folder " + folderName(r.Path) + ", secret " + r.Name
		}
	}
	return reference
}
