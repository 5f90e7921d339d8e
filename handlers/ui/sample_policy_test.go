package ui

import "berth/core/policy"

func sampleRules() policy.Rules {
	return policy.Rules{Allow: policy.Lists{Images: []string{"nginx:1.*", "ghcr.io/acme/**"}, Volumes: []string{policy.Own}, Devices: []string{}},
		Block: policy.Blocks{LatestTags: true, Privileged: true, DockerSocket: true, PublishedPorts: []string{"22", "1-1023"}}}
}

// samplePolicy is the rules for all workers while they are reviewed.
func samplePolicy() policyPage {
	p := policyPage{Href: "/policy", By: "ada@example.org", Plan: policyPlanPart{Asked: true, Stacks: []policyRefused{{"shop", "/stacks/stk_1", []string{"Api image: the image nginx is not among those that are allowed."}}},
		Jobs: []policyRefused{{"nightly", "/jobs/job_1", []string{"Image: the image backup has no tag but latest."}}}, Unread: []string{"stack old: its revision cannot be read"}}}
	p.fill(sampleRules())
	p.Lists[3].Entries.Problem = "Must be a clean absolute path, such as /srv/files"
	return p
}

func sampleHolds() policyHolds {
	return policyHolds{Judges: true, Allows: []string{"devices", "/etc/ssl"},
		Layers: []policyLayer{{From: "The policy file of the host", Rules: ruleLines(sampleRules())}, {From: "For all workers", Href: "/policy"}}}
}

// sampleWorkerPolicy is those of one worker, with everything else that holds there.
func sampleWorkerPolicy() policyPage {
	p := policyPage{Href: "/workers/wrk_1/policy", Worker: "edge-1", Own: true, By: "ada@example.org", Holds: sampleHolds()}
	p.fill(policy.Rules{})
	return p
}
