package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"berth/hub/worker"
)

// A deployment of what is there already changes nothing, whatever the Compose file uses. The
// one exception is what has ended: as with the docker command, it is started once more.
func TestDeployingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(s *stack) // what is there before; nil: nothing
		file    string
		ended   string // a compose service that ends by itself
	}{
		"networks":                {file: `services: {web: {RUN, networks: {one: {aliases: [www]}, two: {}}}}` + "\n" + `networks: {one: {internal: true}, two: {name: NAME-two, labels: {a: b}}}`},
		"a network with settings": {file: `services: {web: {RUN, networks: {one: {driver_opts: {a: b}, priority: 5}}}}` + "\n" + `networks: {one: {driver: bridge, enable_ipv6: false, driver_opts: {com.docker.network.driver.mtu: "1400"}}}`},
		"an external network": {prepare: func(s *stack) { s.network(s.Name + "-given") },
			file: `services: {web: {RUN, networks: [given]}}` + "\n" + `networks: {given: {external: true, name: NAME-given}}`},
		"an external network by its id": {prepare: func(s *stack) { s.given = s.network(s.Name + "-given") },
			file: `services: {web: {RUN, networks: [given]}}` + "\n" + `networks: {given: {external: true, name: GIVEN}}`},
		"the network of another compose service": {file: `services: {web: {RUN, network_mode: none}, side: {RUN, network_mode: "service:web", pid: "service:web"}}`},
		"volumes": {file: `services: {web: {RUN, network_mode: none, tmpfs: [/t], volumes: [{type: volume, source: v, target: /v}, {type: volume, target: /anonymous}, {type: bind, source: /.berth/state/d, target: /d}]}, ` +
			`sharer: {RUN, network_mode: none, volumes_from: ["web:ro"]}}` + "\n" + `volumes: {v: {labels: {a: b}}}`},
		"an external volume": {prepare: func(s *stack) { s.volume(s.Name + "-given") },
			file: `services: {web: {RUN, network_mode: none, volumes: [{type: volume, source: v, target: /v}]}}` + "\n" + `volumes: {v: {external: true, name: NAME-given}}`},
		"a volume that was renamed": {prepare: func(s *stack) {
			s.deploy(`services: {web: {RUN, network_mode: none, volumes: [{type: volume, source: v, target: /v}]}}` + "\n" + `volumes: {v: {}}`)
		}, file: `services: {web: {RUN, network_mode: none, volumes: [{type: volume, source: v, target: /v}]}}` + "\n" + `volumes: {v: {name: NAME-other}}`},
		"a volume with other settings than those it was made with": {prepare: func(s *stack) {
			s.deploy(`services: {web: {RUN, network_mode: none, volumes: [{type: volume, source: v, target: /v}]}}` + "\n" + `volumes: {v: {}}`)
		}, file: `services: {web: {RUN, network_mode: none, volumes: [{type: volume, source: v, target: /v}]}}` + "\n" + `volumes: {v: {labels: {a: b}}}`},
		"configs and secrets": {file: `services: {web: {RUN, network_mode: none, configs: [{source: c, target: /c, mode: 256}], secrets: [s], environment: {A: "${S}"}}}` + "\n" +
			`configs: {c: {content: "x ${S}", name: c}}` + "\n" + `secrets: {s: {environment: S, "x-#value": "${S}", name: s}}`},
		"dependencies":                          {file: `services: {web: {RUN, network_mode: none, healthcheck: {test: [CMD, "true"], interval: 200ms}}, late: {RUN, network_mode: none, depends_on: {web: {condition: service_healthy, restart: true}}}}`},
		"a compose service that ends":           {file: `services: {job: {image: IMAGE, command: ["true"], network_mode: none}, web: {RUN, network_mode: none, depends_on: {job: {condition: service_completed_successfully}}}}`, ended: "job"},
		"a compose service with a network ends": {file: `services: {job: {image: IMAGE, command: ["true"]}, web: {RUN}}`, ended: "job"},
		"replicas":                              {file: `services: {web: {RUN, network_mode: none, scale: 3}, two: {RUN, network_mode: none, deploy: {replicas: 2, resources: {limits: {memory: 64M}}}}, none: {RUN, network_mode: none, scale: 0}}`},
		"names, limits and rights": {file: `services: {web: {RUN, container_name: NAME-own, hostname: h, init: true, restart: unless-stopped, mem_limit: 64m, cap_drop: [ALL], read_only: true, ` +
			`extra_hosts: ["a=127.0.0.2"], ulimits: {nofile: 1000}, labels: {a: b}, ports: [{target: 80, host_ip: 127.0.0.1}], links: ["db:database"]}, db: {RUN}}`},
		"a network that was renamed and stays": {prepare: func(s *stack) {
			s.deploy(`services: {web: {RUN, networks: [one]}}` + "\n" + `networks: {one: {}}`)
			h := s.byHand()
			id := h.create(s.Name+"-theirs", nil)
			h.start(id)
			h.disconnect(id, "none")
			h.connect(id, s.Name+"_one")
		}, file: `services: {web: {RUN, networks: [one]}}` + "\n" + `networks: {one: {name: NAME-a-name-before}}`},
		"a network that became external": {prepare: func(s *stack) {
			s.deploy(`services: {web: {RUN, networks: [one]}}` + "\n" + `networks: {one: {name: NAME_one}}`)
		}, file: `services: {web: {RUN, networks: [one]}}` + "\n" + `networks: {one: {external: true, name: NAME_one}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, "")
			s.secret("S", "secret")
			if c.prepare != nil {
				c.prepare(s)
			}
			s.deploy(c.file)
			if c.ended != "" {
				s.output(c.ended)
			}
			before := s.all()
			s.Labels = map[string]string{worker.LabelStack: "stk_test", worker.LabelRevision: "2"}
			s.apply()
			after := s.all()
			if !slices.Equal(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))) {
				t.Fatalf("there are %v, were %v; log %q", after, before, s.lines)
			}
			for id, c1 := range before {
				c2 := after[id]
				if got := changedTraits(c1.Traits, c2.Traits); got != "" {
					t.Errorf("%s of %s changed", got, c1.Service)
				}
				if c1.Service != c.ended && !c2.StartedAt.Equal(c1.StartedAt) {
					t.Errorf("%s was started anew; log %q", c1.Service, s.lines)
				}
			}
			if c.ended != "" {
				s.output(c.ended)
			}
		})
	}
}

// deploy applies a file in which RUN, NAME and GIVEN stand for what only the test knows.
func (s *stack) deploy(file string) {
	s.t.Helper()
	s.set(strings.NewReplacer("RUN", `image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL`, "NAME", s.Name, "GIVEN", s.given).Replace(file))
	s.apply()
}

// all returns the project's containers by id.
func (s *stack) all() map[string]worker.ProjectContainer {
	s.t.Helper()
	list, err := s.engine.Containers(s.t.Context(), s.Name)
	if err != nil {
		s.t.Fatal(err)
	}
	byID := map[string]worker.ProjectContainer{}
	for _, c := range list {
		byID[c.ContainerID] = c
	}
	return byID
}
