package ui

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"berth/core/fleet"
)

// several is the number one before a word, or a verb, of several.
var several = regexp.MustCompile(`(?:^|[^-.\w])1 (?:[a-z]+ )?(?:stacks|workers|keys|commits|repositories|variables|files|lines|services|days|users|accounts|revisions|hubs|deployments|containers|things|are)\b`)

func TestOneIsNotSeveral(t *testing.T) {
	for name, s := range samples() {
		page, err := s.single()
		if err != nil {
			t.Fatal(err)
		}
		root, err := html.Parse(strings.NewReader(string(page)))
		if err != nil {
			t.Fatal(err)
		}
		if found := several.FindString(strings.Join(strings.Fields(text(root)), " ")); found != "" {
			t.Errorf("%s says %q", name, found)
		}
	}
	if needs := workerNeeds([]fleet.Worker{{Hostname: "a", Stacks: 1}}, sampleNow); several.MatchString(needs[0].Why) {
		t.Errorf("the overview says %q", needs[0].Why)
	}
}
