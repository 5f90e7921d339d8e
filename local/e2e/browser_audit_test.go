package e2e_test

import (
	"slices"
	"strings"

	"berth/local/stand/browser"
)

// audit judges one page in all variants, leaves a picture of each, and returns the links on it.
func (p *tab) audit(name, path string) []string {
	p.t.Helper()
	p.open(path)
	p.until("the whole page", `document.readyState === "complete"`)
	for _, v := range browser.Variants {
		p.Look(v)
		artifact(p.t, name+"."+v.Name+".png", p.Picture())
	}
	for _, complaint := range p.Complaints("light", "dark") {
		p.t.Errorf("%s: %s", path, complaint)
	}
	return p.Addresses().Links
}

// auditAll judges pages by name and follows every link that they have.
func (p *tab) auditAll(pages map[string]string) {
	p.t.Helper()
	links := map[string]string{}
	names := make([]string, 0, len(pages))
	for name := range pages {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, link := range p.audit(name, pages[name]) {
			path, _, _ := strings.Cut(link, "#")
			if strings.HasPrefix(path, "/") {
				links[path] = pages[name]
			}
		}
	}
	if len(links) < 10 {
		p.t.Errorf("only %d links were found: the walk is broken", len(links))
	}
	cookie := p.cookie()
	for link, from := range links {
		if status := p.room.status(cookie, link); status >= 400 {
			p.t.Errorf("%s links to %s, which answers %d", from, link, status)
		}
	}
}
