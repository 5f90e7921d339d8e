package ui

import (
	"fmt"
	"slices"
	"strings"

	"berth/core"
	"berth/handlers/ui/layered"
)

// serviceGraph draws which compose services of a stack wait for which, those that begin first on the left, and says
// the same in words.
type serviceGraph struct {
	Text          string // the picture in words; empty: no compose service waits for another
	Width, Height int
	Linked        bool // its boxes lead somewhere
	Nodes         []graphNode
	Lines         []graphLine
	Legend        []graphLine // what the kinds of lines mean
	Waits         []string
	Shared        []string // networks and volumes that some have in common
}

type graphNode struct {
	X, Y  int
	Short string // name, cut to fit
	Name  string
	Href  string // empty: nothing of it can be shown
	State badge
}

type graphLine struct {
	Path, Tip string
	Kind      string // started, healthy or completed
	Word      string
}

// graphMeasure is in CSS pixels: the picture is as large as it says and scrolls in its own box.
var graphMeasure = layered.Measure{Width: 168, Height: 48, Across: 56, Beside: 16}

const (
	graphEdge = 8  // around the picture, so that what is focused shows whole
	longName  = 19 // runes of a name that fit in a box
)

// conditionWords say what has become of a compose service that another one waited for.
var conditionWords = map[core.ComposeCondition]graphLine{
	core.ComposeStarted:   {Kind: "started", Word: "has started"},
	core.ComposeHealthy:   {Kind: "healthy", Word: "is healthy"},
	core.ComposeCompleted: {Kind: "completed", Word: "has ended well"},
}

// drawServices draws a project; state says how a compose service is and where more of it is found.
func drawServices(project []core.ComposeService, state func(name string) (badge, string)) serviceGraph {
	var names []string
	var lines []layered.Line
	g := serviceGraph{Shared: sharedOf(project)}
	for _, s := range project {
		names = append(names, s.Name)
		for _, d := range s.DependsOn {
			word := conditionWords[d.Condition]
			lines = append(lines, layered.Line{From: d.Service, To: s.Name, Kind: word.Kind})
			g.Waits = append(g.Waits, waitingWords(s.Name, d, word.Word))
		}
	}
	drawing := layered.Draw(names, lines, graphMeasure)
	if len(drawing.Lines) == 0 {
		return serviceGraph{Shared: g.Shared}
	}
	g.Text = fmt.Sprintf("%d compose services and what each waits for, those that begin first on the left.", len(names))
	g.Width, g.Height = drawing.Width+2*graphEdge, drawing.Height+2*graphEdge
	for _, b := range drawing.Boxes {
		node := graphNode{X: b.X + graphEdge, Y: b.Y + graphEdge, Name: b.Name, Short: shortName(b.Name)}
		node.State, node.Href = state(b.Name)
		g.Linked = g.Linked || node.Href != ""
		g.Nodes = append(g.Nodes, node)
	}
	for _, l := range drawing.Lines {
		g.Lines = append(g.Lines, graphLine{Path: l.Path, Tip: l.Tip, Kind: l.Kind})
	}
	for _, condition := range []core.ComposeCondition{core.ComposeStarted, core.ComposeHealthy, core.ComposeCompleted} {
		if word := conditionWords[condition]; slices.ContainsFunc(g.Lines, func(l graphLine) bool { return l.Kind == word.Kind }) {
			g.Legend = append(g.Legend, word)
		}
	}
	return g
}

func waitingWords(name string, d core.ComposeDependency, word string) string {
	text := fmt.Sprintf("%s waits until %s %s", name, d.Service, word)
	if d.Optional {
		text += ", if it is there"
	}
	return text + "."
}

func shortName(name string) string {
	if runes := []rune(name); len(runes) > longName {
		return string(runes[:longName-1]) + "…"
	}
	return name
}

// sharedOf names the networks and volumes that some compose services have in common. Compose's default network,
// which joins all that name no other, says nothing.
func sharedOf(project []core.ComposeService) (words []string) {
	networks, volumes := map[string][]string{}, map[string][]string{}
	for _, s := range project {
		for _, n := range s.Networks {
			networks[n] = append(networks[n], s.Name)
		}
		for _, v := range s.Volumes {
			volumes[v] = append(volumes[v], s.Name)
		}
	}
	delete(networks, "default")
	words = append(togetherIn(volumes, "Volume %s is mounted by %s."), togetherIn(networks, "Network %s joins %s.")...)
	slices.Sort(words)
	return words
}

func togetherIn(all map[string][]string, text string) (words []string) {
	for name, members := range all {
		if last := len(members) - 1; last > 0 {
			words = append(words, fmt.Sprintf(text, name, strings.Join(members[:last], ", ")+" and "+members[last]))
		}
	}
	return words
}

// stateOf is the badge of a compose service: of its containers the one that needs somebody most.
func stateOf(l serviceLine) badge {
	if len(l.Containers) == 0 {
		return badge{"idle", "circle", "No container"}
	}
	worst := slices.MinFunc(l.Containers, func(a, b containerLine) int { return urgency(a.Badge) - urgency(b.Badge) }).Badge
	if n := len(l.Containers); n > 1 {
		worst.Word = fmt.Sprintf("%s, %d containers", worst.Word, n)
	}
	return worst
}

func urgency(b badge) int { return slices.Index([]string{"bad", "warn", "busy", "ok", "idle"}, b.Tone) }

// graphOf draws what the current revision of a stack wants, as it was seen last.
func graphOf(current []core.ComposeService, lines []serviceLine) serviceGraph {
	return drawServices(current, func(name string) (badge, string) {
		i := slices.IndexFunc(lines, func(l serviceLine) bool { return l.Name == name })
		if i < 0 {
			return stateOf(serviceLine{}), ""
		}
		return stateOf(lines[i]), lines[i].LogsHref
	})
}
