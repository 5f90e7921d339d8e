package ui

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// designPage is what pages are made of: the tokens as the stylesheet has them, and each part in its states.
type designPage struct {
	Colours     []colourToken
	Types       []sizeToken
	Spaces      []sizeToken
	States      []stateGroup
	Dots        []badge // where the word stands elsewhere
	Notices     []note
	Moments     []moment // just now, hours ago, never
	Next        moment
	Fields      []input
	Choice      choice
	Ticks       []tick
	Trouble     string
	Copy        copyable
	Phases      []phaseLine
	Pictures    designPictures
	Sure        []sureAct
	Way         []pathStep
	Commits     []commitLine
	Findings    []findingLine
	Deployments deploymentTable
	Changes     []changeLine
	Log         logView
}

// colourToken is a colour under its name, in both schemes.
type colourToken struct{ Name, Light, Dark string }

// sizeToken is a length under its name.
type sizeToken struct {
	Name   string
	Value  string // as written
	Pixels int    // at the size of text that browsers begin with
}

// stateGroup is all states that one kind of thing can be in.
type stateGroup struct {
	Name   string
	Badges []badge
}

var designView = newView[designPage]("design.html")

// Design shows what the pages are made of. It reads the stylesheet that browsers get and uses the parts that all
// pages use, so it cannot differ from them.
func Design(now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return designView.write(w, r, http.StatusOK, newFrame(r, inNothing, "Design"), newDesignPage(now()))
	})
}

func newDesignPage(now time.Time) designPage {
	p := tokensOf()
	p.States, p.Notices, p.Trouble = stateGroups(), designNotices(), "The repository could not be read: its Git host refused the key. Choose another key, or add one."
	p.Dots = p.States[1].Badges
	p.Moments = []moment{at(now, now), at(now.Add(-5*time.Hour), now), {}}
	p.Next = at(now.Add(40*time.Minute), now)
	p.Fields = []input{
		{Name: "name", ID: "d-name", Label: "Name", Kind: "text", Value: "shop", Hint: "Lower-case letters, digits and dashes."},
		{Name: "url", ID: "d-url", Label: "Address", Kind: "url", Sample: "https://git.example.com/team/apps.git", Optional: true},
		{Name: "interval", ID: "d-interval", Label: "Interval", Kind: "number", Value: "-5", Problem: "Must be at least 10 seconds. Clear it to follow the server's own."},
		{Name: "text", ID: "d-text", Label: "Value", Kind: "area", Value: "one\ntwo", Mono: true},
	}
	p.Choice = choice{Name: "worker", ID: "d-worker", Label: "Worker", Hint: "Where its containers run.", Options: []option{{"1", "any that has room", true}, {"2", "rack4-host2", false}}}
	p.Ticks = []tick{{Name: "on", ID: "d-on", Label: "Repair drift by itself", Hint: "What was changed by hand is put back.", On: true}, {Name: "off", ID: "d-off", Label: "May not sign in"}}
	p.Copy = copyable{"d-copy", "a command to be copied", "docker compose up -d"}
	p.Phases = designPhases()
	p.Pictures = drawnPictures(now)
	p.Sure = []sureAct{sure("trash", "Delete the account and its keys", "", "", "Whatever uses one of its keys is refused at once."),
		sure("", "Revoke", "ci", "", "Whatever uses it is refused at once.").InLine()}
	p.Way = pathBefore(true)
	p.Way[0].Href = "/design#forms"
	p.Commits = []commitLine{{Short: "9f31c02", Subject: "Serve the shop over IPv6", Author: "Ada", When: at(now.Add(-time.Minute), now), Head: true, FilesHref: "/design#lists"},
		{Short: "51be770", Subject: "Another colour", Author: "Grace", When: at(now.Add(-3*time.Hour), now), FilesHref: "/design#lists"}}
	p.Findings = []findingLine{{At: "web image", Place: "shop/compose.yaml:4", What: "The tag latest moves.", Why: "Nobody can tell what runs.", Next: "Name a version or a digest.", Code: "image.unpinned"}}
	p.Deployments.Lines = designDeployments(now)
	p.Changes = []changeLine{{Kind: "compose service", Name: "web", Before: "registry.example.com/web:1.8", After: "registry.example.com/web:1.9", Arrow: true},
		{Kind: "variable", Name: "LOG_LEVEL", Text: "is new"},
		{Kind: "file", Name: "app.conf", Lines: []diffLine{{"", "", "[server]"}, {"is-gone", "-", "port = 8080"}, {"is-new", "+", "port = 8081"}}}}
	p.Log = logView{Whole: true, Lines: []logLine{{At: "0:00", Text: coloured("pull registry.example.com/web:1.9")}, {At: "0:04", Text: coloured("\x1b[32mpulled\x1b[0m in 4.1 s")},
		{At: "0:05", Text: coloured("\x1b[33mwarning\x1b[0m: the image has no health check")}, {At: "0:06", Text: coloured("\x1b[31merror\x1b[0m: port 8080 is taken")}}}
	return p
}

// stateGroups lists every state that has a badge, in the order of its word.
func stateGroups() []stateGroup {
	return []stateGroup{groupOf("Stacks", statusBadges), groupOf("Deployments", deploymentBadges), groupOf("Phases", phaseBadges), groupOf("Plans", planBadges),
		groupOf("Workers", presenceBadges), groupOf("Jobs", standingBadges), groupOf("Runs", runBadges), groupOf("Letters", letterBadges), groupOf("Deliveries", deliveryBadges), groupOf("Audit", auditBadges)}
}

func groupOf[S ~string](name string, badges map[S]badge) stateGroup {
	g := stateGroup{name, slices.Collect(maps.Values(badges))}
	slices.SortFunc(g.Badges, func(a, b badge) int {
		return strings.Compare(a.Tone+a.Word, b.Tone+b.Word)
	})
	return g
}

func designNotices() []note {
	return []note{{"ok", "check", "Saved. The next deployment gets the value."}, {"busy", "ring", "The repository is being read. Its folders show up here in a moment."},
		{"warn", "alert", "Worker rack4-host2 is offline. Its containers run on."}, {"bad", "cross", "The image was not found: manifest unknown. Push it, or correct the tag."},
		{"idle", "pause", "The stack is paused. Resume it to follow new commits."}}
}

func designPhases() []phaseLine {
	line := func(name string, state stacks.PhaseState, took string, x, w int) phaseLine {
		return phaseLine{Name: name, Badge: badgeOf(phaseBadges, state), Took: took, X: x, W: w}
	}
	failed := line("Apply", stacks.PhaseFailed, "2.4 s", 640, 240)
	failed.Message = "Port 8080 is taken on the host."
	return []phaseLine{line("Fetch the commit", stacks.PhaseSucceeded, "0.9 s", 0, 90), line("Pull images", stacks.PhaseSucceeded, "5.5 s", 90, 550), failed,
		line("Verify", "", "", 0, 0), line("Secrets", stacks.PhaseSkipped, "", 0, 0), line("Next", stacks.PhaseRunning, "", 880, 120)}
}

func designDeployments(now time.Time) []deploymentLine {
	line := func(state stacks.DeploymentState, commit, actor, took string, before time.Duration) deploymentLine {
		return deploymentLine{Href: "/design#lists", Badge: badgeOf(deploymentBadges, state), Commit: commit, Revision: 12, Trigger: "New commit", Actor: actor, Took: took, When: at(now.Add(-before), now)}
	}
	return []deploymentLine{line(stacks.DeploymentRunning, "9f31c02", "", "8 s", time.Minute), line(stacks.DeploymentFailed, "51be770", "ada@example.org", "12 s", 3*time.Hour),
		line(stacks.DeploymentSucceeded, "c0ffee1", "", "41 s", 50*time.Hour)}
}

var tokenLine = regexp.MustCompile(`--([a-z0-9-]+): ([^;]+);`)

// tokensOf reads the tokens from the stylesheet that is served.
var tokensOf = sync.OnceValue(func() designPage {
	sheet, err := assetFiles.ReadFile("assets/berth.css")
	if err != nil {
		panic(err) // it is built into the program
	}
	light, rest, _ := strings.Cut(string(sheet), "@media (prefers-color-scheme: dark)")
	dark, _, _ := strings.Cut(rest, "\n}")
	inDark := map[string]string{}
	for _, m := range tokenLine.FindAllStringSubmatch(dark, -1) {
		inDark[m[1]] = m[2]
	}
	var p designPage
	for _, m := range tokenLine.FindAllStringSubmatch(light, -1) {
		p.putToken(m[1], m[2], inDark[m[1]])
	}
	return p
})

// putToken sorts a token by what it is. Shadows and families of fonts are told by the parts that have them.
func (p *designPage) putToken(name, value, dark string) {
	if strings.HasPrefix(value, "#") {
		if dark == "" {
			dark = value
		}
		p.Colours = append(p.Colours, colourToken{name, value, dark})
		return
	}
	rem, err := strconv.ParseFloat(strings.TrimSuffix(value, "rem"), 64)
	if err != nil {
		return
	}
	size := sizeToken{name, value, int(rem*16 + 0.5)}
	if slices.Contains([]string{"small", "body", "large", "title"}, name) {
		p.Types = append(p.Types, size)
	} else {
		p.Spaces = append(p.Spaces, size)
	}
}
