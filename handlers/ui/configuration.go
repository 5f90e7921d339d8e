package ui

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"berth/core/configuration"
	"berth/core/fault"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

// ConfigurationForm is how many bytes a form with a file may have, whatever form it is sent in.
const ConfigurationForm = 3*configuration.MaxFile + 64<<10

type configurationPage struct {
	Trouble []string // lines
	Text    exact    // the file as it was sent
	Prune   bool
}

type configurationPlanPage struct {
	Groups                                  []stepGroup
	Needs                                   []needLine
	Text                                    exact
	Fingerprint                             string
	Prune                                   bool
	Create, Change, Delete, Blocked, Stands int
}

type configurationDonePage struct {
	Groups          []stepGroup
	Needs           []needLine
	Changed, Failed int
	Text            exact // to be applied again; empty: nothing is left
	Prune           bool
}

// stepGroup is the steps of one section that are worth a look.
type stepGroup struct {
	Word  string
	Steps []changeGroup
}

var (
	configurationView     = newView[configurationPage]("configuration.html")
	configurationPlanView = newView[configurationPlanPage]("configuration_plan.html")
	configurationDoneView = newView[configurationDonePage]("configuration_done.html")
)

var sectionWords = map[configuration.Section]string{
	configuration.SectionKeys: "Repository keys", configuration.SectionHosts: "SSH hosts", configuration.SectionRepositories: "Repositories",
	configuration.SectionIntegrations: "Integrations", configuration.SectionVariables: "Global variables", configuration.SectionWorkers: "Workers",
	configuration.SectionPolicies: "Policies", configuration.SectionStacks: "Stacks", configuration.SectionJobs: "Jobs", configuration.SectionFollow: "Followed repositories", configuration.SectionAccounts: "Service accounts", configuration.SectionUsers: "Users",
}

// bySection puts steps below their sections; what stays as it is is left out.
func bySection(steps []configuration.Done) (all []stepGroup) {
	for _, section := range slices.Insert(slices.Clone(configuration.Sections), slices.Index(configuration.Sections, configuration.SectionJobs)+1, configuration.SectionFollow) {
		g := stepGroup{Word: sectionWords[section]}
		for _, s := range steps {
			if s.Section == section && s.Action != configuration.ActionKeep && s.Action != configuration.ActionLeave {
				g.Steps = append(g.Steps, stepLines(s))
			}
		}
		if len(g.Steps) > 0 {
			all = append(all, g)
		}
	}
	return all
}

var stepBadges = map[configuration.Action]badge{
	configuration.ActionCreate: {"ok", "plus", "Make"}, configuration.ActionChange: {"busy", "sync", "Change"},
	configuration.ActionDelete: {"bad", "trash", "Delete"}, configuration.ActionBlocked: {"warn", "alert", "Cannot be done"},
}

// stepLines shows one step: what differs, why it cannot be done, and what is to be done then.
func stepLines(s configuration.Done) changeGroup {
	g := changeGroup{Badge: stepBadges[s.Action], Name: s.Name, Service: true}
	if s.Owner != "" {
		g.Name = s.Owner + ": " + s.Name
	}
	if s.Problem != "" && s.Action != configuration.ActionBlocked {
		g.Badge = badge{"bad", "alert", "Not done"}
	}
	if s.Action == configuration.ActionChange {
		for _, c := range s.Changes {
			g.Changes = append(g.Changes, changeLine{Name: c.Field, Before: beginning(c.From), After: beginning(c.To), Arrow: c.From != "" && c.To != ""})
		}
	}
	for _, text := range []string{s.Problem, s.Note} {
		if text != "" {
			g.Changes = append(g.Changes, changeLine{Text: text})
		}
	}
	return g
}

// needLine is something that no file can bring.
type needLine struct{ Name, Text string }

func needLines(needs []configuration.Need) (all []needLine) {
	for _, n := range needs {
		line := needLine{n.Name, n.Text}
		if n.Owner != "" {
			line.Name = n.Owner + ": " + n.Name
		}
		all = append(all, line)
	}
	return all
}

// beginning shows the beginning of a value.
func beginning(text string) string {
	if line, _, more := strings.Cut(text, "\n"); more || len(line) > 120 {
		return strings.ToValidUTF8(line[:min(len(line), 120)], "") + "…"
	}
	return text
}

// Configuration is where the file is downloaded and brought.
func Configuration() http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return configurationView.write(w, r, http.StatusOK, newFrame(r, inConfiguration, "Configuration"), configurationPage{})
	})
}

var configurationTrail = crumb{"Configuration", "/configuration"}

// PlanConfiguration shows what a file would change.
func PlanConfiguration(desk api.ConfigurationDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := broughtFile(r)
		if err != nil {
			return afterConfiguration(w, r, ask, err)
		}
		plan, err := desk.Plan(r.Context(), ask)
		if err != nil {
			return afterConfiguration(w, r, ask, err)
		}
		return configurationPlanView.write(w, r, http.StatusOK, newFrame(r, inConfiguration, "Plan", configurationTrail), planned(plan, ask))
	})
}

func planned(plan configuration.Plan, ask configuration.Ask) configurationPlanPage {
	page := configurationPlanPage{Needs: needLines(plan.Needs), Text: exact(ask.File), Fingerprint: plan.Fingerprint, Prune: ask.Prune,
		Create: plan.Count(configuration.ActionCreate), Change: plan.Count(configuration.ActionChange), Delete: plan.Count(configuration.ActionDelete),
		Blocked: plan.Count(configuration.ActionBlocked), Stands: plan.Count(configuration.ActionKeep) + plan.Count(configuration.ActionLeave)}
	var steps []configuration.Done
	for _, s := range plan.Steps {
		steps = append(steps, configuration.Done{Step: s, Problem: s.Reason})
	}
	page.Groups = bySection(steps)
	return page
}

// ApplyConfiguration applies a file and shows what came of it.
func ApplyConfiguration(desk api.ConfigurationDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := broughtFile(r)
		if err != nil {
			return afterConfiguration(w, r, ask, err)
		}
		report, err := desk.Apply(r.Context(), ask, endpoint.Principal(r.Context()))
		if err != nil {
			return afterConfiguration(w, r, ask, err)
		}
		return configurationDoneView.write(w, r, http.StatusOK, newFrame(r, inConfiguration, "Applied", configurationTrail), applied(report, ask))
	})
}

func applied(report configuration.Report, ask configuration.Ask) configurationDonePage {
	page := configurationDonePage{Groups: bySection(report.Steps), Needs: needLines(report.Needs), Prune: ask.Prune}
	page.Changed, page.Failed = report.Count()
	if page.Failed > 0 {
		page.Text = exact(ask.File)
	}
	return page
}

// afterConfiguration shows the form again with what is wrong with the file.
func afterConfiguration(w http.ResponseWriter, r *http.Request, ask configuration.Ask, err error) error {
	c, ours := complain(r, err)
	if !ours {
		return err
	}
	c.when(w)
	f := newFrame(r, inConfiguration, "Configuration")
	f.Problem = true
	return configurationView.write(w, r, c.Status, f, configurationPage{Trouble: sentences(fault.PublicOf(err)), Text: exact(ask.File), Prune: ask.Prune})
}

// sentences makes a sentence of each line.
func sentences(text string) (all []string) {
	for line := range strings.Lines(text) {
		all = append(all, sentence(strings.TrimSuffix(line, "\n")))
	}
	return all
}

// broughtFile reads the file of a form: one that was chosen, or else the text.
func broughtFile(r *http.Request) (configuration.Ask, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && kind == "multipart/form-data" {
		err = r.ParseMultipartForm(ConfigurationForm)
	} else if _, err = typed(r); err != nil {
		return configuration.Ask{}, err
	}
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return configuration.Ask{}, fault.New(fault.TooLarge, "request.too_large", "The file is larger than %d bytes, which is all that is taken.", configuration.MaxFile)
	case err != nil:
		return configuration.Ask{}, fault.New(fault.Malformed, "request.unreadable", "The form could not be read. Go back and try again.").Because(err)
	}
	ask := configuration.Ask{File: []byte(r.PostForm.Get("text")), Prune: r.PostForm.Get("prune") != "", Fingerprint: r.PostForm.Get("fingerprint")}
	if chosen, err := chosenFile(r); err != nil {
		return ask, err
	} else if len(chosen) > 0 {
		ask.File = chosen
	}
	if len(ask.File) == 0 {
		return ask, fault.BadFields("configuration.no_file", []fault.Field{{Path: "file", Problem: "choose a file, or paste its text"}})
	}
	return ask, nil
}

func chosenFile(r *http.Request) ([]byte, error) {
	if r.MultipartForm == nil || len(r.MultipartForm.File["file"]) == 0 {
		return nil, nil
	}
	opened, err := r.MultipartForm.File["file"][0].Open()
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return io.ReadAll(opened)
}
