package e2e_test

import (
	"strings"
	"testing"
)

// guidedCompose is a stack of two compose services, one of which waits for the other, that needs a variable.
const guidedCompose = `services:
  store:
    image: ` + roomImage + `
    environment: {NUMBER: "1"}
    volumes: ["kept:/kept"]
    networks: [back]
    healthcheck: {test: ["CMD", "/app", "health"], interval: 1s, timeout: 2s, retries: 10}
  web:
    image: ` + roomImage + `
    environment:
      PASSWORD: ${PASSWORD:?is asked for}
    networks: [back]
    depends_on: {store: {condition: service_healthy}}
volumes: {kept: {}}
networks: {back: {}}
`

// TestTheGuidedPathInABrowser goes from an empty installation by the steps that the pages offer to a first stack that is
// well: each page leads to the next.
func TestTheGuidedPathInABrowser(t *testing.T) {
	r := openRoom(t)
	r.commit("Two that wait", map[string]string{"guided/compose.yaml": guidedCompose})
	p := r.openTab()
	p.open("/")
	p.fillSetUp(roomToken)
	p.press("Make the administrator")
	p.shows("Four steps to a first healthy stack")
	p.open("/stacks")
	p.click("main a[href='/stacks/new']")
	p.shows("there is none yet")
	p.click("main a[href='/repositories/new?for=stack']")
	p.fill("[name=url]", r.gitURL)
	p.press("Add the repository")
	p.click("#folders button[value='guided']") // once it was read
	p.until("the form with the folder", `document.querySelector("[name=path]")?.value === "guided"`)
	p.fill("[name=name]", r.stack)
	p.press("Go on to the review")
	p.shows("Variables that it needs")
	review := p.address()
	if at := ask[string](p, `document.querySelector("[aria-current=step]").textContent.trim()`); !strings.HasPrefix(at, "Variables") {
		t.Errorf("the path is at %q", at)
	}
	p.audit("stack-review-needs", review)
	p.fill("[name='value PASSWORD']", "canary-of-the-path")
	p.press("Keep and look again")
	p.shows("What would run")
	for _, part := range []string{r.stack, roomImage, "kept", "back", "web waits until store is healthy."} {
		if text := ask[string](p, `document.querySelector("main").textContent`); !strings.Contains(text, part) || strings.Contains(text, "canary") {
			t.Errorf("the review does not say %q, or shows the secret:\n%s", part, text)
		}
	}
	p.audit("stack-review", review)
	p.press("Deploy and watch")
	p.shows("Deployment of " + r.stack)
	p.shows("Succeeded")
	p.press("Go to the stack")
	p.shows("Active")
	p.shows("Dependencies")
	stack := p.address()
	p.until("both compose services drawn as they are", `[...document.querySelectorAll("#graph .node-state")].map((e) => e.textContent).sort().join() === "Healthy,Running"`)
	p.audit("stack-graph", stack)
	p.open("/")
	p.shows("All is well: the one stack runs as it should.")
	p.clean()
}
