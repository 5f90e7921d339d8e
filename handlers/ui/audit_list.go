package ui

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

// AuditReader lists what was done, newest first.
type AuditReader interface {
	AuditEvents(ctx context.Context, f access.AuditFilter, ask core.Page) (core.List[access.AuditRecord], error)
	// AuditActions returns all that was ever done, by name.
	AuditActions(ctx context.Context) ([]string, error)
	// Named returns what the things with these identifiers are called, of those that there still are. Some have no name.
	Named(ctx context.Context, ids []string) (map[string]string, error)
}

type auditPage struct {
	Actor, Resource exact
	From, To        input // days
	Action, Result  choice
	Narrowed        bool
	Lines           []auditLine
	CSV, JSONL      string // where it is exported
	More            string
}

type auditLine struct {
	Badge        badge
	What         string // the action in words
	Resource     string
	Name         string // of the resource, as it is called now; empty: it has none, or is gone
	ResourceHref string // empty: it has no page
	Detail       string
	Who, WhoHref string // WhoHref: all that they did
	Key, KeyHref string // the API key that was used, and all that was done with it; empty: none was
	Kind         string
	Address      string
	When         moment
}

var auditView = newView[auditPage]("audit_list.html")

var auditBadges = map[access.Result]badge{
	access.Done:    {"ok", "check", "Done"},
	access.Refused: {"warn", "lock", "Refused"},
	access.Failed:  {"bad", "cross", "Failed"},
}

var kindWords = map[access.PrincipalKind]string{
	access.KindAnonymous: "nobody signed in", access.KindUser: "user", access.KindServiceAccount: "service account",
	access.KindWorker: "worker", access.KindWebhook: "webhook", access.KindSystem: "by itself",
}

// pagesOf says where what has an identifier is shown.
var pagesOf = map[string]string{core.PrefixStack: "/stacks/", core.PrefixJob: "/jobs/", core.PrefixRepository: "/repositories/", core.PrefixServiceAccount: "/service-accounts/",
	core.PrefixUser: "/users/", core.PrefixWorker: "/workers/", core.PrefixWorkerToken: "/worker-tokens/", core.PrefixDeployment: "/deployments/", core.PrefixRun: "/job-runs/"}

// Audit shows who did what to what, from where and with what result.
func Audit(reader AuditReader, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		q := r.URL.Query()
		result, err := endpoint.OneOf(q, "result", access.Results)
		if err != nil {
			return err
		}
		ask, err := partOf(r)
		if err != nil {
			return err
		}
		filter := access.AuditFilter{Actor: strings.TrimSpace(q.Get("actor")), Action: q.Get("action"), Resource: strings.TrimSpace(q.Get("resource")), Result: result}
		var wrong error
		filter.From, filter.To, wrong = daysOf(q)
		var list core.List[access.AuditRecord]
		if wrong == nil {
			if list, err = reader.AuditEvents(r.Context(), filter, ask); err != nil {
				return err
			}
		}
		actions, err := reader.AuditActions(r.Context())
		if err != nil {
			return err
		}
		var ids []string
		for _, e := range list.Items {
			ids = append(ids, e.Resource)
		}
		named, err := reader.Named(r.Context(), ids)
		if err != nil {
			return err
		}
		page := newAuditPage(r.URL, filter, actions, list, now())
		page.call(named)
		status := http.StatusOK
		if c, bad := complain(r, wrong); bad {
			page.refuse(c)
			status = c.Status
		}
		return auditView.write(w, r, status, newFrame(r, inAudit, "Audit"), page)
	})
}

// daysOf reads the first and the last day that are shown, in UTC. to is the first moment after.
func daysOf(q url.Values) (from, to time.Time, err error) {
	var bad []fault.Field
	for name, into := range map[string]*time.Time{"from": &from, "to": &to} {
		text := q.Get(name)
		if text == "" {
			continue
		}
		if *into, err = time.Parse(time.DateOnly, text); err != nil {
			bad = append(bad, fault.Field{Path: name, Problem: "must be a day that there is, as year, month and day: 2026-01-31. Correct it, or leave it empty for all days"})
		}
	}
	if !to.IsZero() {
		to = to.AddDate(0, 0, 1)
	}
	return from, to, fault.BadFields("query.invalid", bad)
}

func newAuditPage(at *url.URL, f access.AuditFilter, actions []string, list core.List[access.AuditRecord], now time.Time) auditPage {
	q := at.Query()
	page := auditPage{Actor: exact(f.Actor), Resource: exact(f.Resource), From: dayInput("from", "From (UTC)", q), To: dayInput("to", "To", q), Narrowed: f != access.AuditFilter{},
		Action: choice{Name: "action", Label: "What", Options: []option{{"", "everything", f.Action == ""}}},
		Result: choice{Name: "result", Label: "Result", Options: []option{{"", "any", f.Result == ""}}}, More: following(at, list.Next)}
	for _, action := range actions {
		page.Action.Options = append(page.Action.Options, option{exact(action), actionWords(action), action == f.Action})
	}
	for _, result := range access.Results {
		page.Result.Options = append(page.Result.Options, option{exact(result), strings.ToLower(auditBadges[result].Word), result == f.Result})
	}
	page.CSV, page.JSONL = auditExportHref(f, "csv"), auditExportHref(f, "jsonl")
	for _, e := range list.Items {
		page.Lines = append(page.Lines, auditLineOf(e, now))
	}
	return page
}

func dayInput(name, label string, q url.Values) input {
	return input{Name: name, Label: label, Kind: "date", Value: exact(q.Get(name))}
}

// refuse puts what is wrong beside the days. A browser shows in a field for days only what is one, so that what was typed
// stands in a field for text.
func (p *auditPage) refuse(c complaints) {
	c.on(&p.From, &p.To)
	for _, day := range []*input{&p.From, &p.To} {
		if day.Problem != "" {
			day.Kind = "text"
		}
	}
}

// Days are the fields for the first and the last day.
func (p auditPage) Days() []input { return []input{p.From, p.To} }

// Wrong reports whether what was asked for cannot be looked for.
func (p auditPage) Wrong() bool { return p.From.Problem != "" || p.To.Problem != "" }

// call says what things are called, and lets nothing lead to the page of what is gone.
func (p *auditPage) call(named map[string]string) {
	for i, l := range p.Lines {
		name, there := named[l.Resource]
		if p.Lines[i].Name = name; !there {
			p.Lines[i].ResourceHref = ""
		}
	}
}

func auditExportHref(f access.AuditFilter, format string) string {
	q := url.Values{"format": {format}}
	for name, value := range map[string]string{"actor": f.Actor, "action": f.Action, "resource": f.Resource, "result": string(f.Result), "from": stampOf(f.From), "to": stampOf(f.To)} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return withQuery("/api/custom/audit-events/export", q)
}

func stampOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

func auditLineOf(e access.AuditRecord, now time.Time) auditLine {
	line := auditLine{Badge: badgeOf(auditBadges, e.Result), What: actionWords(e.Action), Resource: e.Resource, Detail: e.Detail, Who: e.Actor.Name,
		Kind: kindWords[e.Actor.Kind], Address: e.Actor.Address, When: at(e.At, now)}
	who := e.Actor.ID
	if who == "" {
		who = e.Actor.Name
	}
	line.WhoHref = withQuery("/audit-events", url.Values{"actor": {who}})
	if e.Actor.Key != "" {
		line.Key, line.KeyHref = e.Actor.Key, withQuery("/audit-events", url.Values{"actor": {e.Actor.Key}})
	}
	if prefix, _, found := strings.Cut(e.Resource, "_"); found && pagesOf[prefix] != "" && core.ValidID(prefix, e.Resource) {
		line.ResourceHref = pagesOf[prefix] + e.Resource
	}
	return line
}

// actionWords is an action as people read it: noun and verb.
func actionWords(action string) string {
	return strings.NewReplacer("_", " ", ".", ": ").Replace(action)
}
