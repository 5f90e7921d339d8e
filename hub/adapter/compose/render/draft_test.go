package render

import (
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/lint"
)

const allWrong = `x-berth: {lint: {ignore: [limits.missing]}}
services:
  web:
    image: nginx
    environment:
      DB_PASSWORD: hunter2
      API_TOKEN: ${TOKEN}
      PASSWORD_FILE: /run/secrets/x
    networks: [front]
    volumes:
      - /srv:/srv
      - data:/data
    configs: [c]
    secrets: [s]
    depends_on: [db]
    ports: ["8080:80"]
  other:
    image: redis:${VERSION}
    network_mode: service:gone
    ports: ["127.0.0.1:8080:80"]
    healthcheck: {test: [CMD, "true"]}
`

func TestEverythingThatIsWrongIsFoundAtOnce(t *testing.T) {
	src := core.ComposeSource{Project: "p", Dir: "app", Tree: commit(map[string]string{"app/compose.yaml": allWrong}), Variables: []core.ComposeVariable{secretVariable("TOKEN")}}
	draft, err := New().Draft(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range lint.Findings(draft) {
		got = append(got, strings.Join([]string{string(f.Severity), f.Code, f.Service, f.Field, strings.TrimPrefix(f.Place.String(), "app/")}, " "))
		if f.What == "" || f.Why == "" || f.Next == "" || strings.Contains(f.String(), "hunter2") {
			t.Errorf("the finding is %+v", f)
		}
	}
	want := []string{
		"error network.undeclared web networks.front compose.yaml:9",
		"error volume.undeclared web volumes[1] compose.yaml:12",
		"error config.undeclared web configs[0] compose.yaml:13",
		"error secret.undeclared web secrets[0] compose.yaml:14",
		"error service.undeclared web depends_on.db compose.yaml:15",
		"error port.duplicate web ports[0] compose.yaml:16",
		"error variable.undefined  VERSION compose.yaml:18",
		"error service.undeclared other network_mode compose.yaml:19",
		"advice healthcheck.missing web healthcheck compose.yaml:3",
		"advice image.unpinned web image compose.yaml:4",
		"advice secret.plaintext web environment.DB_PASSWORD compose.yaml:6",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWhatFitsTogetherHasNoErrors(t *testing.T) {
	for name, text := range map[string]string{
		"the default network":     "services: {web: {image: 'a:1', networks: [default]}}",
		"declared things":         "services: {web: {image: 'a:1', networks: [n], volumes: ['vol:/v'], configs: [c]}}\nnetworks: {n: {}}\nvolumes: {vol: {}}\nconfigs: {c: {content: x}}",
		"two protocols":           "services: {a: {image: 'a:1', ports: ['53:53/udp']}, b: {image: 'a:1', ports: ['53:53']}}",
		"two addresses":           "services: {a: {image: 'a:1', ports: ['127.0.0.1:80:80']}, b: {image: 'a:1', ports: ['10.0.0.1:80:80']}}",
		"ports that are picked":   "services: {a: {image: 'a:1', ports: ['80']}, b: {image: 'a:1', ports: ['80']}}",
		"an optional dependency":  "services: {a: {image: 'a:1', depends_on: {b: {condition: service_started, required: false}}}}",
		"a variable with default": "services: {a: {image: 'a:${V:-1}'}}",
		"what only a list names":  "services: {a: {image: 'a:1', environment: [HOME_OF]}}",
	} {
		t.Run(name, func(t *testing.T) {
			draft, err := New().Draft(t.Context(), core.ComposeSource{Project: "p", Dir: "app", Tree: commit(map[string]string{"app/compose.yaml": text})})
			if err != nil {
				t.Fatal(err)
			}
			if errors := lint.Errors(lint.Findings(draft)); len(errors) > 0 {
				t.Errorf("found is %v", errors)
			}
		})
	}
}
