package ui

import "berth/core/configuration"

func sampleSteps() []configuration.Step {
	return []configuration.Step{
		{Action: configuration.ActionChange, Section: configuration.SectionRepositories, Name: "shop", Changes: []configuration.Change{{Field: "branch", From: "main"}, {Field: "tag", To: "v1.4.0"}}},
		{Action: configuration.ActionDelete, Section: configuration.SectionVariables, Name: "UNUSED"},
		{Action: configuration.ActionBlocked, Section: configuration.SectionWorkers, Name: "hetzner-fsn-2", Reason: "workers enrol by themselves: make a token under Workers and start it on that host"},
		{Action: configuration.ActionCreate, Section: configuration.SectionStacks, Name: "blog"},
		{Action: configuration.ActionCreate, Section: configuration.SectionFollow, Name: "shop"},
		{Action: configuration.ActionKeep, Section: configuration.SectionStacks, Name: "shop"},
		{Action: configuration.ActionChange, Section: configuration.SectionStacks, Owner: "stack shop", Name: "CERT", Changes: []configuration.Change{{Field: "value", From: "one\ntwo", To: "three"}}},
	}
}

var sampleNeeds = []configuration.Need{
	{Section: configuration.SectionKeys, Name: "github bot", Text: "the password or token of bot at github.com is to be given under Settings, Repository keys"},
	{Section: configuration.SectionStacks, Owner: "stack shop", Name: "DATABASE_PASSWORD", Text: "the value of this secret is to be given on the page of its variables"},
}

func sampleConfigurationPlan(prune bool) configurationPlanPage {
	return planned(configuration.Plan{Fingerprint: "0123456789abcdef0123456789abcdef", Prune: prune, Steps: sampleSteps(), Needs: sampleNeeds}, configuration.Ask{File: []byte("version: 1\n"), Prune: prune})
}

func sampleConfigurationDone(failed bool) configurationDonePage {
	report := configuration.Report{Needs: sampleNeeds}
	for _, s := range sampleSteps() {
		d := configuration.Done{Step: s}
		if s.Name == "blog" {
			d.Note = "It has an age key of its own."
			if failed {
				d.Problem = "commit 9f31c02d4a, the newest that was fetched, has no folder blog"
			}
		}
		if s.Action != configuration.ActionBlocked {
			report.Steps = append(report.Steps, d)
		}
	}
	return applied(report, configuration.Ask{File: []byte("version: 1\n")})
}
