package fleet

import (
	"strings"
	"testing"

	"berth/core"
)

func TestPlace(t *testing.T) {
	on := func(id, host string, stacks int, tags ...string) Worker {
		return Worker{ID: core.WorkerID("wrk_" + id), Hostname: host, Online: true, Stacks: stacks, Tags: tags}
	}
	off := func(w Worker) Worker { w.Online = false; return w }
	cut := func(w Worker) Worker { w.Revoked = true; return w }
	a, b, c := on("a", "alpha", 3, "gpu", "eu"), on("b", "beta", 1, "eu"), on("c", "gamma", 1, "eu", "gpu")
	cases := map[string]struct {
		workers []Worker
		want    Want
		chosen  string // host name
		reason  string // part of it
	}{
		"fewest stacks win, the older one of two equals":       {[]Worker{a, c, b}, Want{}, "beta", ""},
		"every tag is needed":                                  {[]Worker{a, b, c}, Want{Tags: []string{"gpu", "eu"}}, "gamma", ""},
		"the assigned one is taken however many stacks it has": {[]Worker{a, b}, Want{Worker: a.ID}, "alpha", ""},
		"an assigned one that is offline is waited for":        {[]Worker{off(a), b}, Want{Worker: a.ID}, "", "alpha (wrk_a) is offline; the deployment waits"},
		"an assigned one that was revoked is never used":       {[]Worker{cut(a), b}, Want{Worker: a.ID}, "", "is revoked"},
		"an assigned one must have the tags too":               {[]Worker{b}, Want{Worker: b.ID, Tags: []string{"eu", "gpu"}}, "", "lacks the tag gpu;"},
		"an assigned one that was deleted":                     {[]Worker{b}, Want{Worker: "wrk_z"}, "", "(wrk_z) was revoked or deleted"},
		"no worker at all":                                     {nil, Want{}, "", "no worker is registered"},
		"only revoked ones":                                    {[]Worker{cut(a)}, Want{}, "", "no worker is registered"},
		"those that fit are offline":                           {[]Worker{off(a), b}, Want{Tags: []string{"gpu"}}, "", "offline: alpha; the deployment waits"},
		"online ones lack the tag":                             {[]Worker{b}, Want{Tags: []string{"gpu", "eu"}}, "", "all of the tags gpu, eu; set WORKER_TAGS"},
		"offline ones lack it too":                             {[]Worker{off(b)}, Want{Tags: []string{"gpu"}}, "", "no worker is online"},
		"a revoked one with the tag does not count":            {[]Worker{cut(a), b}, Want{Tags: []string{"gpu"}}, "", "no worker has all of the tags gpu"},
		"long lists are cut": {[]Worker{off(on("1", "h1", 0)), off(on("2", "h2", 0)), off(on("3", "h3", 0)), off(on("4", "h4", 0)), off(on("5", "h5", 0)), off(on("6", "h6", 0))},
			Want{}, "", "h5 and 1 more"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, reason := Place(c.workers, c.want)
			if got.Hostname != c.chosen {
				t.Errorf("chose %q, want %q (reason %q)", got.Hostname, c.chosen, reason)
			}
			if (reason == "") != (c.reason == "") || !strings.Contains(reason, c.reason) {
				t.Errorf("reason %q, want one with %q", reason, c.reason)
			}
		})
	}
}

func TestFactsAreCheckedAndSorted(t *testing.T) {
	good := Facts{Hostname: "web-1.example", Tags: []string{"b", "a", "b"}, Version: "1.2", OS: "linux", Arch: "amd64"}
	got, err := good.check()
	if err != nil || strings.Join(got.Tags, ",") != "a,b" {
		t.Fatalf("got tags %v, %v", got.Tags, err)
	}
	if strings.Join(good.Tags, ",") != "b,a,b" {
		t.Errorf("the caller's tags were changed: %v", good.Tags)
	}
	none, err := Facts{Hostname: "h", Version: "1", OS: "linux", Arch: "arm64"}.check()
	if err != nil || none.Tags == nil {
		t.Errorf("no tags must be an empty list, not nil: %v, %v", none.Tags, err)
	}
	bad := map[string]struct {
		spoil func(*Facts)
		path  string
	}{
		"tag with a space":         {func(f *Facts) { f.Tags = []string{"ok", "a b"} }, "tags[1]"},
		"empty tag":                {func(f *Facts) { f.Tags = []string{""} }, "tags[0]"},
		"tag with a letter abroad": {func(f *Facts) { f.Tags = []string{"größe"} }, "tags[0]"},
		"no host name":             {func(f *Facts) { f.Hostname = "" }, "hostname"},
		"host name with newline":   {func(f *Facts) { f.Hostname = "a\nb" }, "hostname"},
		"host name with escape":    {func(f *Facts) { f.Hostname = "a\x1b[2J" }, "hostname"},
		"host name too long":       {func(f *Facts) { f.Hostname = strings.Repeat("x", 254) }, "hostname"},
		"host name of bad bytes":   {func(f *Facts) { f.Hostname = "\xff" }, "hostname"},
		"host name that hides":     {func(f *Facts) { f.Hostname = "a\u202eb" }, "hostname"},
		"no version":               {func(f *Facts) { f.Version = "" }, "version"},
		"system with a space":      {func(f *Facts) { f.OS = "l x" }, "os"},
		"endless architecture":     {func(f *Facts) { f.Arch = strings.Repeat("x", 65) }, "arch"},
	}
	for name, c := range bad {
		t.Run(name, func(t *testing.T) {
			f := good
			c.spoil(&f)
			if _, err := f.check(); err == nil || !strings.Contains(err.Error(), c.path+":") {
				t.Errorf("got %v, want a complaint about %s", err, c.path)
			}
		})
	}
}
