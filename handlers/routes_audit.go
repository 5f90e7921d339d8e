package handlers

import (
	"net/http"
	"slices"

	"berth/core"
	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
	"berth/handlers/ui"
)

// AuditDeps is what reading the audit needs.
type AuditDeps struct {
	Store auditStore // *store.Store
	Now   core.Clock
}

type auditStore interface {
	api.AuditLister
	ui.AuditReader
}

// auditParams narrow the audit.
var auditParams = []Param{
	text("actor", "only what this one did: an identifier, the name it had then, or the identifier of an API key"), text("action", "only this action, such as stack.create"), text("resource", "only what was done to this"),
	oneOf("result", "only what came to this", access.Results), text("from", "only from this moment on, RFC 3339"), text("to", "only before this moment, RFC 3339"),
}

func auditRoutes(d Deps) []Route {
	const all = "/api/custom/audit-events"
	row := func(pattern string, handler http.Handler, op Operation) Route {
		op.Tag, op.Status = "audit", http.StatusOK
		return Route{Method: http.MethodGet, Pattern: pattern, Capability: access.Administer, Surface: guard.API, Handler: handler, Operation: op}
	}
	return []Route{
		row(all, api.ListAuditEvents(d.Audit.Store), Operation{Summary: "List who did what to what, newest first",
			Detail:   "Every change is recorded in the transaction that makes it, with who asked, from where, and what came of it; never with a value. Events are kept for AUDIT_KEEP_DAYS.",
			Response: endpoint.Items[api.AuditEventAnswer]{}, Query: append(slices.Clone(auditParams), pageParams...)}),
		row(all+"/export", api.ExportAuditEvents(d.Audit.Store), Operation{Summary: "Export who did what to what, newest first",
			Detail: "All that the parameters leave, as a table or as an object on each line. A text in the table that a spreadsheet would take for a formula has an apostrophe before it.", ContentType: "text/csv",
			Query: append(slices.Clone(auditParams), oneOf("format", "csv (default) or jsonl", api.AuditFormats)), Problems: []int{http.StatusRequestEntityTooLarge}}),
	}
}

func uiAuditRoutes(a AuditDeps) []Route {
	return []Route{page("/audit-events", access.Administer, ui.Audit(a.Store, a.Now))}
}
