package api

import (
	"context"
	"net/http"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/handlers/endpoint"
)

// IntegrationFinder reads integrations.
type IntegrationFinder interface {
	Integrations(ctx context.Context) ([]integrations.Integration, error)
	Integration(ctx context.Context, slug string) (integrations.Integration, error)
}

// IntegrationSaver configures integrations.
type IntegrationSaver interface {
	Save(ctx context.Context, slug string, c integrations.Change, by access.Principal) (integrations.Integration, error)
}

// IntegrationTester tries integrations.
type IntegrationTester interface {
	Test(ctx context.Context, slug string) error
}

// IntegrationAnswer is an integration as the API shows it; a secret setting never is.
type IntegrationAnswer struct {
	Slug      string             `json:"slug"`
	Category  string             `json:"category"` // secret_backend, storage_backend or notification
	Name      string             `json:"name"`
	Summary   string             `json:"summary"`
	Enabled   bool               `json:"enabled"`
	Locked    bool               `json:"locked"`     // always enabled, and nothing can be set
	Settings  map[string]string  `json:"settings"`   // those that are not secret, defaults filled in
	Set       map[string]bool    `json:"set"`        // the secret ones: whether something is stored
	Fields    []IntegrationField `json:"fields"`     // what can be set
	Warnings  []string           `json:"warnings"`   // what a person should know about the settings
	UpdatedAt *time.Time         `json:"updated_at"` // null: nobody configured it
}

// IntegrationField is a setting that an integration has.
type IntegrationField struct {
	Name     string `json:"name"`
	Label    string `json:"label"`
	Help     string `json:"help"`
	Default  string `json:"default"`
	Required bool   `json:"required"` // to enable the integration
	Secret   bool   `json:"secret"`   // write-only
}

func showIntegration(i integrations.Integration) IntegrationAnswer {
	answer := IntegrationAnswer{Slug: i.Slug, Category: i.Category, Name: i.Name, Summary: i.Summary, Enabled: i.Enabled, Locked: i.Locked,
		Settings: i.Settings, Set: i.Set, Fields: []IntegrationField{}, Warnings: orEmpty(i.Warnings)}
	for _, f := range i.Fields {
		answer.Fields = append(answer.Fields, IntegrationField{Name: f.Name, Label: f.Label, Help: f.Help, Default: f.Default, Required: f.Required, Secret: f.Secret})
	}
	if !i.UpdatedAt.IsZero() {
		answer.UpdatedAt = &i.UpdatedAt
	}
	return answer
}

// ListIntegrations lists all integrations.
func ListIntegrations(finder IntegrationFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		all, err := finder.Integrations(r.Context())
		if err != nil {
			return err
		}
		items := endpoint.Items[IntegrationAnswer]{Items: []IntegrationAnswer{}}
		for _, i := range all {
			items.Items = append(items.Items, showIntegration(i))
		}
		return endpoint.JSON(w, http.StatusOK, items)
	})
}

// GetIntegration reads one integration.
func GetIntegration(finder IntegrationFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		i, err := finder.Integration(r.Context(), r.PathValue("slug"))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showIntegration(i))
	})
}

// SaveIntegrationRequest replaces the settings of an integration.
type SaveIntegrationRequest struct {
	Enabled  *bool             `json:"enabled" required:"yes"`
	Settings map[string]string `json:"settings"` // left out: all stay; a secret one that is empty or left out stays, any other gets its default
}

// SaveIntegration configures an integration.
func SaveIntegration(saver IntegrationSaver) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[SaveIntegrationRequest](r)
		if err != nil {
			return err
		}
		if ask.Enabled == nil {
			return fault.BadFields("integration.invalid", []fault.Field{{Path: "enabled", Problem: "is required: true or false"}})
		}
		i, err := saver.Save(r.Context(), r.PathValue("slug"), integrations.Change{Enabled: *ask.Enabled, Settings: ask.Settings}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showIntegration(i))
	})
}

// IntegrationTestAnswer says how a trial ended.
type IntegrationTestAnswer struct {
	OK      bool   `json:"ok"`
	Code    string `json:"code"`    // of the fault; "" when it is ok
	Message string `json:"message"` // for people
}

// TestIntegration tries an integration as it is configured now. That the service does not answer or
// refuses is an answer, not a failure of the request; that there is no hub to ask is one.
func TestIntegration(tester IntegrationTester) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		err := tester.Test(r.Context(), r.PathValue("slug"))
		switch code := fault.CodeOf(err); {
		case err == nil:
			return endpoint.JSON(w, http.StatusOK, IntegrationTestAnswer{OK: true, Message: "It answers and takes the credential."})
		case fault.Is(err, fault.Internal) || fault.Is(err, fault.NotFound) || code == "hub.away" || code == "store.away" || code == "store.busy":
			return err
		default:
			return endpoint.JSON(w, http.StatusOK, IntegrationTestAnswer{Code: code, Message: fault.PublicOf(err)})
		}
	})
}

// IntegrationDeleter deletes notification targets.
type IntegrationDeleter interface {
	Delete(ctx context.Context, slug string, by access.Principal) error
}

// DeleteIntegration deletes a notification target.
func DeleteIntegration(deleter IntegrationDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := deleter.Delete(r.Context(), r.PathValue("slug"), endpoint.Principal(r.Context())); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}
