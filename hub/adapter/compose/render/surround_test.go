package render

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
)

func TestServicesSayWhatTheyWaitForShareAndPublish(t *testing.T) {
	cases := map[string]struct {
		compose string
		want    core.ComposeService // of the compose service web
	}{
		"a list waits for the start": {`services: {web: {image: a, depends_on: [db]}, db: {image: a}}`,
			core.ComposeService{DependsOn: []core.ComposeDependency{{Service: "db", Condition: core.ComposeStarted}}, Networks: []string{"default"}}},
		"each condition": {`services: {web: {image: a, depends_on: {db: {condition: service_healthy}, up: {condition: service_completed_successfully}, aux: {condition: service_started, required: false}}}, db: {image: a}, up: {image: a}, aux: {image: a}}`,
			core.ComposeService{DependsOn: []core.ComposeDependency{{Service: "aux", Condition: core.ComposeStarted, Optional: true}, {Service: "db", Condition: core.ComposeHealthy}, {Service: "up", Condition: core.ComposeCompleted}}, Networks: []string{"default"}}},
		"a shared namespace is a dependency": {`services: {web: {image: a, network_mode: "service:vpn"}, vpn: {image: a}}`,
			core.ComposeService{DependsOn: []core.ComposeDependency{{Service: "vpn", Condition: core.ComposeStarted}}}},
		"networks and volumes": {`
services: {web: {image: a, networks: [front, back], volumes: ["data:/data", "data:/again", "/anonymous", {type: tmpfs, target: /tmp}]}}
networks: {front: {}, back: {}}
volumes: {data: {}}`,
			core.ComposeService{Networks: []string{"back", "front"}, Volumes: []string{"data"}}},
		"files of the host": {`services: {web: {image: a, volumes: ["/srv/a:/a:ro", "./own:/own"]}}`,
			core.ComposeService{Networks: []string{"default"}, Binds: []string{"/srv/a"}}},
		"ports": {`services: {web: {image: a, ports: ["8080:80", "127.0.0.1:53:53/udp", "90"]}}`,
			core.ComposeService{Networks: []string{"default"}, Ports: []string{"8080:80/tcp", "127.0.0.1:53:53/udp", "90/tcp"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, s := range mustRead(t, map[string]string{"compose.yaml": c.compose}).Services {
				got := core.ComposeService{DependsOn: s.DependsOn, Networks: s.Networks, Volumes: s.Volumes, Binds: s.Binds, Ports: s.Ports}
				if s.Name == "web" && !reflect.DeepEqual(got, c.want) {
					t.Errorf("web is %+v, want %+v", got, c.want)
				}
			}
		})
	}
}

func TestACycleOfDependenciesIsAnErrorOfTheFile(t *testing.T) {
	_, err := read(t, map[string]string{"compose.yaml": `services: {a: {image: x, depends_on: [b]}, b: {image: x, depends_on: [a]}}`})
	if text := fault.PublicOf(err); fault.CodeOf(err) != "compose.invalid" || !strings.Contains(text, "a") || !strings.Contains(text, "cycle") {
		t.Errorf("two compose services wait for each other: %v", err)
	}
}

func TestAVariableThatAFileDemandsIsMissing(t *testing.T) {
	for text, want := range map[string][]string{"${B:?why}": {"B"}, "${B?}": {"B"}, "${A}${B:?why}": {"A", "B"}, "${KNOWN:?why}${B:?why}": {"B"}} {
		out, err := read(t, map[string]string{"compose.yaml": "services: {web: {image: \"a:" + text + "\"}}"}, plainVariable("KNOWN", "k"))
		if fault.CodeOf(err) != "compose.invalid" || !slices.Equal(out.Missing, want) {
			t.Errorf("%s: missing %q, want %q: %v", text, out.Missing, want, err)
		}
	}
}
