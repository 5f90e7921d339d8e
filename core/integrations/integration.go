package integrations

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/seal"
)

// Integration is an integration as people see it. It never holds a secret setting.
type Integration struct {
	Declaration
	Enabled   bool
	Settings  map[string]string // of the fields that are not secret, by name; the default where nothing was set
	Set       map[string]bool   // of the secret fields: something is stored
	Expected  map[string]bool   // of the secret fields: it is set, or is to be given; see Prepare
	Warnings  []string          // what a person should know about the settings
	UpdatedAt time.Time         // zero: nobody configured it
}

// Stored is what is kept of an integration that somebody configured.
type Stored struct {
	Slug      string
	Enabled   bool
	Settings  map[string]string
	Sealed    seal.Sealed // JSON of the secret settings by name, at Place; nil: none is set
	Version   int         // counts changes, from 1
	UpdatedAt time.Time
}

// Place is where the secret settings of an integration are sealed.
func Place(slug string) seal.Place {
	return seal.Place{Table: "integrations", Row: slug, Column: "sealed"}
}

var errUnknown = fault.New(fault.NotFound, "integration.not_found", "There is no such integration.")

// opened is everything that is set of an integration; secret is not for showing.
type opened struct {
	Declaration
	Stored
	secret map[string]string
}

// open reads what is stored; nothing stored is an integration as it is declared.
func open(d Declaration, stored Stored, opener Opener) (opened, error) {
	o := opened{Declaration: d, Stored: stored, secret: map[string]string{}}
	if len(stored.Sealed) == 0 {
		return o, nil
	}
	text, err := opener.Open(Place(d.Slug), stored.Sealed)
	if err == nil {
		err = json.Unmarshal(text, &o.secret)
	}
	if err != nil {
		return o, fault.New(fault.Conflict, "integration.unreadable",
			"The secret settings of %s cannot be opened. Enter them again under Settings, Integrations.", d.Name)
	}
	return o, nil
}

// plain returns the settings that are not secret, defaults filled in.
func (o opened) plain() map[string]string {
	all := map[string]string{}
	for _, field := range o.Fields {
		if field.Secret {
			continue
		}
		all[field.Name] = field.Default
		if value := o.Settings[field.Name]; value != "" {
			all[field.Name] = value
		}
	}
	return all
}

// lacking returns the labels of required settings that are not set.
func (o opened) lacking() []string {
	var labels []string
	plain := o.plain()
	for _, field := range o.Fields {
		if field.Required && plain[field.Name] == "" && o.secret[field.Name] == "" {
			labels = append(labels, strings.ToLower(field.Label[:1])+field.Label[1:])
		}
	}
	return labels
}

// usable refuses an integration that is not enabled or lacks a setting.
func (o opened) usable() error {
	if o.Category == CategoryStorageBackend {
		return o.storing()
	}
	if lacking := o.lacking(); o.Category == CategoryNotification && (!o.Stored.Enabled || len(lacking) > 0) {
		return fault.New(fault.Conflict, "integration.incomplete", "%s is not enabled, or lacks a setting; see Settings, Integrations.", o.Name)
	}
	if !o.Locked && !o.Stored.Enabled {
		return fault.New(fault.Conflict, "secret.provider_disabled",
			"it is not enabled; enable it under Settings, Integrations, category Secret Backend")
	}
	if lacking := o.lacking(); len(lacking) > 0 {
		return fault.New(fault.Conflict, "secret.provider_unconfigured",
			"it is not configured, it has no %s; see Settings, Integrations, category Secret Backend", strings.Join(lacking, " and no "))
	}
	return nil
}

// storing is usable for a storage.
func (o opened) storing() error {
	if !o.Stored.Enabled {
		return fault.New(fault.Conflict, "storage.disabled", "It is not enabled; enable it under Settings, Integrations, category Storage Backend.")
	}
	if lacking := o.lacking(); len(lacking) > 0 {
		return fault.New(fault.Conflict, "storage.unconfigured", "It is not configured, it has no %s; see Settings, Integrations, category Storage Backend.", strings.Join(lacking, " and no "))
	}
	return nil
}

// shown is what people may see.
func (o opened) shown() Integration {
	i := Integration{Declaration: o.Declaration, Enabled: o.Locked || o.Stored.Enabled, Settings: o.plain(), Set: map[string]bool{}, Expected: map[string]bool{}, UpdatedAt: o.UpdatedAt}
	for _, field := range o.Fields {
		if field.Secret {
			value, expected := o.secret[field.Name]
			i.Set[field.Name], i.Expected[field.Name] = value != "", expected
		}
	}
	i.Warnings = o.warnings(i.Settings)
	return i
}

// sealed closes the secret settings; nil when there are none.
func sealed(slug string, secret map[string]string, seals Seals) (seal.Sealed, error) {
	if len(secret) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(secret)
	if err != nil {
		return nil, fmt.Errorf("keep the secret settings of %s: %w", slug, err)
	}
	return seals.Seal(Place(slug), text)
}
