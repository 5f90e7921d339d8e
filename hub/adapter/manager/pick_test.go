package manager_test

import (
	"slices"
	"testing"

	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/local/stand/faultyhttp"
	"berth/local/stand/managerstand"
)

func (r room) furnish() {
	put := func(path, name string) {
		r.server.Put("p1", "prod", path, managerstand.Secret{Name: name, Value: "canary-" + name})
	}
	put("", "ROOT")
	put("shop", "URL")
	put("shop", "bad\n")
	put("shop/db", "PASSWORD")
	put("shop/cache", "KEY")
	put("base", "SHARED")
	put("base", "URL")
	r.server.Import("p1", "prod", "shop", "base")
}

func same(name string) integrations.Choice { return integrations.Choice{ID: name, Name: name} }

func TestPicker(t *testing.T) {
	for name, change := range map[string]func(*managerstand.Server){
		"today": func(*managerstand.Server) {}, "before": func(s *managerstand.Server) { s.Old() }, "in pages": func(s *managerstand.Server) { s.PageSize = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, "")
			r.furnish()
			change(r.server)
			for _, c := range []struct {
				step integrations.Step
				want []integrations.Choice
			}{
				{integrations.Step{Kind: integrations.StepProjects}, []integrations.Choice{{ID: "p1", Name: "Shop"}, {ID: "p2", Name: "Other"}}},
				{integrations.Step{Kind: integrations.StepEnvironments, Project: "p1"}, []integrations.Choice{{ID: "dev", Name: "DEV"}, {ID: "prod", Name: "PROD"}}},
				{integrations.Step{Kind: integrations.StepSecrets, Project: "p1", Environment: "prod"},
					[]integrations.Choice{{ID: "base", Name: "base", Folder: true}, {ID: "shop", Name: "shop", Folder: true}, same("ROOT")}},
				{integrations.Step{Kind: integrations.StepSecrets, Project: "p1", Environment: "prod", Path: "/shop/"},
					[]integrations.Choice{{ID: "shop/cache", Name: "cache", Folder: true}, {ID: "shop/db", Name: "db", Folder: true}, same("SHARED"), same("URL")}},
				{integrations.Step{Kind: integrations.StepSecrets, Project: "p1", Environment: "prod", Path: "shop/db"}, []integrations.Choice{same("PASSWORD")}},
				{integrations.Step{Kind: integrations.StepSecrets, Project: "p1", Environment: "dev"}, nil},
			} {
				got, err := r.client.Pick(t.Context(), c.step)
				if err != nil || !slices.Equal(got, c.want) {
					t.Errorf("%+v gave %+v, %v; want %+v", c.step, got, err, c.want)
				}
			}
		})
	}
}

func TestPickerStaysInsideTheAllowedProject(t *testing.T) {
	r := newRoom(t, "p1")
	r.furnish()
	got, err := r.client.Pick(t.Context(), integrations.Step{Kind: integrations.StepProjects})
	if err != nil || !slices.Equal(got, []integrations.Choice{{ID: "p1", Name: "Shop"}}) {
		t.Errorf("projects are %+v, %v", got, err)
	}
	r.server.Asked()
	for _, kind := range []integrations.StepKind{integrations.StepEnvironments, integrations.StepSecrets} {
		_, err := r.client.Pick(t.Context(), integrations.Step{Kind: kind, Project: "p2", Environment: "prod"})
		coretest.WantFault(t, err, fault.Conflict, "manager.project_refused", "p2: outside p1")
	}
	if asked := r.server.Asked(); len(asked) != 0 {
		t.Errorf("the server was asked %v", asked)
	}
}

func TestPickerRefusesOtherSteps(t *testing.T) {
	r := newRoom(t, "")
	for _, step := range []integrations.Step{
		{Kind: integrations.StepEnvironments}, {Kind: integrations.StepEnvironments, Project: "../x"}, {Kind: integrations.StepSecrets, Project: "p1"},
		{Kind: integrations.StepSecrets, Project: "p1", Environment: "prod", Path: "a/../b"}, {Kind: integrations.StepSecrets, Project: "p1/x", Environment: "prod"},
	} {
		_, err := r.client.Pick(t.Context(), step)
		coretest.WantFault(t, err, fault.Invalid, "secret.bad_reference")
	}
	_, err := r.client.Pick(t.Context(), integrations.Step{Kind: integrations.StepFields, Project: "p1", Environment: "prod"})
	coretest.WantFault(t, err, fault.Invalid, "manager.step", "projects, environments and secrets")
	if asked := r.server.Asked(); len(asked) != 0 {
		t.Errorf("the server was asked %v", asked)
	}
}

func TestPickerAndTestTellWhatTheIdentityMayNot(t *testing.T) {
	for allowed, code := range map[string]string{"": "", "p1": "", "p2": "manager.forbidden", "p3": "manager.project_missing"} {
		r := newRoom(t, allowed)
		r.furnish()
		r.server.Refuse("p2")
		if err := r.client.Test(t.Context()); code == "" && err != nil {
			t.Errorf("allowed %q: %v", allowed, err)
		} else if code != "" {
			coretest.WantFault(t, err, fault.Conflict, code, allowed)
			_, err = r.client.Pick(t.Context(), integrations.Step{Kind: integrations.StepProjects})
			coretest.WantFault(t, err, fault.Conflict, code, allowed)
		}
	}
	r := newRoom(t, "")
	r.furnish()
	r.server.Refuse("p2")
	for project, code := range map[string]string{"p2": "manager.forbidden", "p3": "manager.folder_missing"} {
		_, err := r.client.Pick(t.Context(), integrations.Step{Kind: integrations.StepSecrets, Project: project, Environment: "prod"})
		coretest.WantFault(t, err, fault.Conflict, code, project+"/prod")
	}
	r.server.Always("GET /api/v1/projects", faultyhttp.Status(403, `{"error":"PermissionDenied","message":"canary"}`))
	_, err := r.client.Pick(t.Context(), integrations.Step{Kind: integrations.StepProjects})
	coretest.WantFault(t, err, fault.Conflict, "manager.forbidden", "allowed project")
}
