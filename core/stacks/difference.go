package stacks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/core"
)

// Difference is one way in which what runs differs from what was deployed and verified.
type Difference struct {
	Service   string         `json:"service"`
	Container string         `json:"container"` // name; empty when there is none
	Kind      DifferenceKind `json:"kind"`
	Fields    []string       `json:"fields"` // what was changed, for DifferenceChanged: "image", "memory limit", …
	Text      string         `json:"text"`   // for people
}

// DifferenceKind is how something differs.
type DifferenceKind string

// The kinds of differences.
const (
	DifferenceMissing DifferenceKind = "missing" // a compose service has no container, or too few
	DifferenceStopped DifferenceKind = "stopped" // a container that should run does not
	DifferenceChanged DifferenceKind = "changed" // a container is not as it was made
	DifferenceExtra   DifferenceKind = "extra"   // a container belongs to no compose service of the revision, or to no stack
)

// Differences compares what a worker saw with what should run of a revision, by compose service.
// orphans says that containers of no compose service of it are left alone on purpose.
// Containers that the engine restarts by itself, or that failed, are not drift: Health tells of them.
func Differences(services []core.ComposeService, containers []ContainerState, orphans bool) []Difference {
	found := []Difference{}
	byService := map[string][]ContainerState{}
	own := Own(containers)
	for _, c := range own {
		byService[c.Service] = append(byService[c.Service], c)
	}
	for _, s := range services {
		found = append(found, differencesOf(s, byService[s.Name])...)
		delete(byService, s.Name)
	}
	for _, c := range own {
		if _, extra := byService[c.Service]; extra && (!orphans || len(traitsOf(c)) > 0) {
			found = append(found, Difference{Service: c.Service, Container: c.Container, Kind: DifferenceExtra, Fields: []string{},
				Text: fmt.Sprintf("container %s of compose service %s is not part of the deployed revision", c.Container, c.Service)})
		}
	}
	return append(found, foreignOf(containers)...)
}

// Unknown names the containers that a revision made of which nothing is known here: the newest known one is newest.
// That is so after a backup was restored that is older than they are. What a deployment has verified since, which
// ended at verified, is as it should be, whoever made it.
func Unknown(containers []ContainerState, newest int, verified time.Time) []Difference {
	var found []Difference
	for _, c := range Own(containers) {
		if c.Revision > newest && c.StartedAt.After(verified) {
			found = append(found, Difference{Service: c.Service, Container: c.Container, Kind: DifferenceChanged, Fields: []string{"revision"},
				Text: fmt.Sprintf("container %s of compose service %s was made by revision %d, of which nothing is known here, as after the restore of an older backup; sync the stack to put the newest commit in its place", c.Container, c.Service, c.Revision)})
		}
	}
	return found
}

// Beyond names the containers that a later revision made than the one that is known to be in place, of a stack that was being
// deployed when the backup was made that was restored.
func Beyond(containers []ContainerState, place int) []Difference {
	var found []Difference
	for _, c := range Own(containers) {
		if c.Revision > place {
			found = append(found, Difference{Service: c.Service, Container: c.Container, Kind: DifferenceChanged, Fields: []string{"revision"},
				Text: fmt.Sprintf("container %s of compose service %s was made by revision %d, which was not in place yet when the backup was made that was restored; sync the stack to put the newest commit in its place", c.Container, c.Service, c.Revision)})
		}
	}
	return found
}

// foreignOf names what a person put beside a stack's containers. No deployment ends that difference.
func foreignOf(containers []ContainerState) []Difference {
	var found []Difference
	for _, c := range containers {
		if c.Foreign() {
			found = append(found, Difference{Service: c.Service, Container: c.Container, Kind: DifferenceExtra, Fields: []string{},
				Text: fmt.Sprintf("container %s has the name of this stack's Compose project, but no stack made it; it is left alone: remove it on the host when nobody needs it", c.Container)})
		}
	}
	return found
}

// differencesOf compares the containers of one compose service with what should run of it.
func differencesOf(s core.ComposeService, containers []ContainerState) []Difference {
	var found []Difference
	want := max(1, s.Scale) // a revision of an older release does not say how many
	if s.Idle {
		want = 0
	}
	if missing := want - len(containers); missing > 0 {
		text := fmt.Sprintf("compose service %s has no container", s.Name)
		if len(containers) > 0 {
			text = fmt.Sprintf("compose service %s has %d of %d containers", s.Name, len(containers), want)
		}
		found = append(found, Difference{Service: s.Name, Kind: DifferenceMissing, Fields: []string{}, Text: text})
	}
	for i, c := range containers {
		fields := traitsOf(c)
		byHand, paused := slices.Contains(c.Changed, ChangedStopped), c.State == "paused"
		extra := i >= want && (s.Scale > 0 || s.Idle)
		if (byHand || paused) && !extra {
			how := "stopped"
			if paused { // no program does that to itself
				how = "paused"
			}
			found = append(found, Difference{Service: s.Name, Container: c.Container, Kind: DifferenceStopped, Fields: []string{},
				Text: fmt.Sprintf("container %s of compose service %s was %s by hand", c.Container, s.Name, how)})
		}
		switch {
		case len(fields) > 0:
			found = append(found, Difference{Service: s.Name, Container: c.Container, Kind: DifferenceChanged, Fields: fields,
				Text: fmt.Sprintf("container %s of compose service %s was changed by hand: %s", c.Container, s.Name, strings.Join(fields, ", "))})
		case extra:
			found = append(found, Difference{Service: s.Name, Container: c.Container, Kind: DifferenceExtra, Fields: []string{},
				Text: fmt.Sprintf("compose service %s has more containers than its revision says: %s", s.Name, c.Container)})
		case s.Stays && !byHand && !c.Halted() && (c.State == "exited" || c.State == "created"):
			found = append(found, Difference{Service: s.Name, Container: c.Container, Kind: DifferenceStopped, Fields: []string{},
				Text: fmt.Sprintf("container %s of compose service %s is %s, but should run", c.Container, s.Name, c.State)})
		}
	}
	return found
}
