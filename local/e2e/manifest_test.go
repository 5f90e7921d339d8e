package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"berth/core/repositories"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

// peerStack has every field that the peer's users have in their manifests, with a job beside it.
const peerStack = `version: wireops.v1
name: shop
group: production
timeout: 2m
compose:
  files:
    - base.yaml
    - production.yaml
  profiles:
    - metrics
  remove_orphans: true
  force_pull: false
jobs:
  wait_running: true
worker:
  tags:
    - e2e-edge
    - e2e-ssd
sync:
  interval: 5m
deploy:
  health_timeout: 30s
  stable_for: 1s
  on_failure: keep
`

const peerJob = `name: cleanup
description: Removes what nobody needs
cron: "0 3 * * *"
timezone: Europe/Berlin
tags: [e2e-edge]
group: maintenance
mode: once_all
image: busybox
command: ["sh", "-c", "echo done"]
volumes: ["data:/data"]
network: shop_default
overlap: skip
retries: 2
resources: {cpu: "0.5", memory: 64m, timeout: 5m}
`

func TestManifestsOfThePeersUsersParseUnchangedAndDeploy(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	s.Worker("e2e-edge") // has one tag of two
	repository := s.Repository(map[string]string{
		"shop/wireops.yaml": peerStack, "shop/base.yaml": compose(box(t, "web", "environment: {FROM: base}"), box(t, "exporter", "profiles: [metrics]"), box(t, "debugger", "profiles: [debug]")),
		"shop/production.yaml": "services:\n  web:\n    environment: {FROM: production}\n", "jobs/cleanup/job.yaml": peerJob,
	})
	stack := repository.On("", "shop")
	lastPhase(t, stack, api.DeploymentAnswer{ID: stack.First}, stacks.PhaseDispatch, "no worker has all of the tags e2e-edge, e2e-ssd")
	edge := s.Worker("e2e-ssd", "e2e-edge", "other")
	d := stack.Deployed()
	if d.WorkerID != edge.ID {
		t.Errorf("it went to worker %s, the one with the tags is %s", d.WorkerID, edge.ID)
	}
	have := stack.Containers()
	if len(have) != 2 || have["exporter"].ID == "" || have["web"].Environment(t)["FROM"] != "production" {
		t.Errorf("there are %v", have)
	}
	found := rig.Get[api.DiscoverAnswer](s.Client, "/api/custom/repositories/"+string(repository.ID)+"/discover")
	kinds := map[string]repositories.Kind{}
	for _, f := range found.Items {
		kinds[f.Path] = f.Kind
	}
	if len(kinds) != 2 || kinds["shop"] != repositories.KindStack || kinds["jobs/cleanup"] != repositories.KindJob {
		t.Errorf("discovered %+v", found)
	}
	// With the orphans removed, what leaves the profile goes.
	stack.At(repository.Commit(map[string]string{"shop/wireops.yaml": strings.Replace(peerStack, "    - metrics\n", "    - none\n", 1)}))
	if have := stack.Containers(); len(have) != 1 {
		t.Errorf("after the profile changed there are %d containers", len(have))
	}
	stack.Delete("?teardown=true")
	if answer := s.Ask(http.MethodDelete, "/api/custom/workers/"+string(edge.ID), nil); answer.Status != http.StatusNoContent {
		t.Errorf("the worker without stacks was not deleted: %d %s", answer.Status, answer.Body)
	}
}
