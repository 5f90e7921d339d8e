package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"

	"berth/core/access"
	"berth/core/configuration"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

// ConfigurationDesk is the use cases of configuration as a file; *configuration.Desk has them.
type ConfigurationDesk interface {
	Export(ctx context.Context) ([]byte, error)
	Plan(ctx context.Context, ask configuration.Ask) (configuration.Plan, error)
	Apply(ctx context.Context, ask configuration.Ask, by access.Principal) (configuration.Report, error)
}

// ConfigurationMedia is the media type of the file, ConfigurationFile its name.
const (
	ConfigurationMedia = "application/yaml"
	ConfigurationFile  = "berth.yaml"
)

// ConfigurationStep is what a plan does, or an apply did, to one thing.
type ConfigurationStep struct {
	Action  string                `json:"action"`  // create, change, leave, delete or blocked
	Section string                `json:"section"` // of the file: stacks, variables, …; follow is what is followed of a repository, which is applied after stacks and jobs
	Owner   string                `json:"owner"`   // of a variable: "stack web" or "job backup"; "" when it is global
	Name    string                `json:"name"`
	Changes []ConfigurationChange `json:"changes"`
	Problem string                `json:"problem"` // why it cannot be done, or was not; "" when it can or was
	Note    string                `json:"note"`    // what a person should do now; "" when nothing
}

// ConfigurationChange is one field that differs.
type ConfigurationChange struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// ConfigurationNeed is something that no file can give.
type ConfigurationNeed struct {
	Section string `json:"section"`
	Owner   string `json:"owner"`
	Name    string `json:"name"`
	Text    string `json:"text"` // what is missing, and where to give it
}

// ConfigurationPlan is what would be done for a file to hold.
type ConfigurationPlan struct {
	Fingerprint string              `json:"fingerprint"` // to be given to apply: it does what was looked at, or nothing
	Changes     int                 `json:"changes"`     // things that would be made, changed or deleted
	Blocked     int                 `json:"blocked"`     // things that cannot be done now
	Kept        int                 `json:"kept"`        // things that are as the file says; they have no step
	Steps       []ConfigurationStep `json:"steps"`
	Needs       []ConfigurationNeed `json:"needs"`
}

// ConfigurationReport is what an apply did.
type ConfigurationReport struct {
	Changed int                 `json:"changed"` // things that were made, changed or deleted
	Failed  int                 `json:"failed"`  // things that could not be done; each stays as it was, unless its problem says otherwise
	Kept    int                 `json:"kept"`    // things that were as the file says; they have no step
	Steps   []ConfigurationStep `json:"steps"`
	Needs   []ConfigurationNeed `json:"needs"`
}

// ExportConfiguration answers with the file of this installation.
func ExportConfiguration(desk ConfigurationDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		file, err := desk.Export(r.Context())
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", ConfigurationMedia)
		w.Header().Set("Content-Disposition", `attachment; filename="`+ConfigurationFile+`"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(file)))
		_, err = w.Write(file)
		return err
	})
}

// PlanConfiguration says what would be done for a file to hold.
func PlanConfiguration(desk ConfigurationDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := configurationAsk(r)
		if err != nil {
			return err
		}
		plan, err := desk.Plan(r.Context(), ask)
		if err != nil {
			return err
		}
		answer := ConfigurationPlan{Fingerprint: plan.Fingerprint, Steps: []ConfigurationStep{}, Needs: showNeeds(plan.Needs), Blocked: plan.Count(configuration.ActionBlocked),
			Changes: plan.Count(configuration.ActionCreate) + plan.Count(configuration.ActionChange) + plan.Count(configuration.ActionDelete)}
		for _, s := range plan.Steps {
			answer.Steps, answer.Kept = addStep(answer.Steps, answer.Kept, configuration.Done{Step: s, Problem: s.Reason})
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}

// ApplyConfiguration does what a plan says.
func ApplyConfiguration(desk ConfigurationDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := configurationAsk(r)
		if err != nil {
			return err
		}
		report, err := desk.Apply(r.Context(), ask, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		answer := ConfigurationReport{Steps: []ConfigurationStep{}, Needs: showNeeds(report.Needs)}
		answer.Changed, answer.Failed = report.Count()
		for _, s := range report.Steps {
			answer.Steps, answer.Kept = addStep(answer.Steps, answer.Kept, s)
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}

// addStep adds a step, or counts it where there is nothing to do.
func addStep(steps []ConfigurationStep, kept int, d configuration.Done) ([]ConfigurationStep, int) {
	if d.Action == configuration.ActionKeep {
		return steps, kept + 1
	}
	return append(steps, showStep(d)), kept
}

func showStep(d configuration.Done) ConfigurationStep {
	s := ConfigurationStep{Action: string(d.Action), Section: string(d.Section), Owner: d.Owner, Name: d.Name, Changes: []ConfigurationChange{}, Problem: d.Problem, Note: d.Note}
	for _, c := range d.Changes {
		s.Changes = append(s.Changes, ConfigurationChange{Field: c.Field, From: c.From, To: c.To})
	}
	return s
}

func showNeeds(needs []configuration.Need) []ConfigurationNeed {
	all := []ConfigurationNeed{}
	for _, n := range needs {
		all = append(all, ConfigurationNeed{Section: string(n.Section), Owner: n.Owner, Name: n.Name, Text: n.Text})
	}
	return all
}

// configurationAsk reads the file that is the body.
func configurationAsk(r *http.Request) (configuration.Ask, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != ConfigurationMedia {
		return configuration.Ask{}, fault.New(fault.Unsupported, "request.media_type", "Send the file as the body, with Content-Type: %s.", ConfigurationMedia)
	}
	ask := configuration.Ask{Fingerprint: r.URL.Query().Get("fingerprint")}
	var err error
	if ask.Prune, err = flag(r, "prune"); err != nil {
		return ask, err
	}
	ask.File, err = io.ReadAll(r.Body)
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return ask, fault.New(fault.TooLarge, "request.too_large", "The file is larger than %d bytes, which is all that is taken.", configuration.MaxFile)
	case err != nil:
		return ask, fault.New(fault.Malformed, "request.unreadable", "The body could not be read to its end.").Because(err)
	}
	return ask, nil
}
