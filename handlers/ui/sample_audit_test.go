package ui

import (
	"net/url"
	"time"

	"berth/core"
	"berth/core/access"
)

func sampleAudit() auditPage {
	stack := core.NewID(core.PrefixStack, sampleNow)
	ada := access.Principal{Kind: access.KindUser, ID: core.NewID(core.PrefixUser, sampleNow), Name: "ada@example.org", Address: "192.0.2.7"}
	worker := access.Principal{Kind: access.KindWorker, ID: core.NewID(core.PrefixWorker, sampleNow), Name: "edge-berlin-1"}
	list := core.List[access.AuditRecord]{Next: "aud_1"}
	for i, e := range []access.AuditEvent{
		ada.Audit("stack.update", stack, "shop"),
		worker.Audit("deployment.end", stack, "dep_1: failed").With(access.Failed),
		ada.Audit("session.open", ada.ID, "the password is wrong").With(access.Refused),
		access.System.Audit("backup.restored", "berth-20261122T101500Z-manual-a1b2c3.backup", `asked for by <b>"ada"</b>`),
		access.Webhook.Audit("stack.sync", stack, "dep_2, webhook"),
		ada.Audit("request.send", stack, `PATCH /api/custom/stacks/{id}: the role "viewer" does not permit it`).With(access.Refused),
	} {
		list.Items = append(list.Items, access.AuditRecord{At: before(time.Duration(i) * 50 * time.Minute), AuditEvent: e})
	}
	f := access.AuditFilter{Actor: "ada@example.org", From: sampleNow.Add(-30 * 24 * time.Hour)}
	page := newAuditPage(&url.URL{Path: "/audit-events", RawQuery: "actor=ada@example.org"}, f, []string{"service_account.create", "stack.update"}, list, sampleNow)
	page.call(map[string]string{stack: "shop", ada.ID: "ada@example.org"})
	return page
}
