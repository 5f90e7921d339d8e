package handlers

import (
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
	"berth/handlers/ui"
)

// MailDeps is what e-mail needs.
type MailDeps struct {
	Desk api.MailDesk // *mail.Desk
	Now  core.Clock
}

var mailWaitParam = text("wait", "hold the answer back until the message was sent or has failed, at most this long: 0s to 300s; default 0s. A host that waits less says so: X-Host-Limit: wait=<seconds>")

func mailRoutes(d Deps) []Route {
	const root = "/api/custom/settings/email"
	row := func(method, pattern string, handler http.Handler, op Operation) Route {
		op.Tag = "e-mail"
		return Route{Method: method, Pattern: pattern, Capability: access.Administer, Surface: guard.API, Handler: handler, Operation: op}
	}
	return []Route{
		row(http.MethodGet, root, api.GetMailSetup(d.Mail.Desk), Operation{Summary: "Read how e-mail is set up", Response: api.MailSetupAnswer{}, Status: http.StatusOK}),
		row(http.MethodGet, root+"/messages", api.ListMail(d.Mail.Desk), Operation{Summary: "List the e-mails and notices that wait, newest first, and then those that ended last",
			Detail: "At most 50 of each. What they say is not part of it; it is deleted once they have ended.", Response: endpoint.Items[api.MailAnswer]{}, Status: http.StatusOK}),
		row(http.MethodPost, root+"/test", api.TestMail(d.Mail.Desk), Operation{Summary: "Send a test message",
			Detail:  "It is tried once. `state` and `answer` say what came of it: with `wait` once that is known.",
			Request: api.TestMailRequest{}, Response: api.MailAnswer{}, Status: http.StatusAccepted, Query: []Param{mailWaitParam}, Problems: []int{http.StatusConflict}}),
	}
}

func uiMailRoutes(m MailDeps) []Route {
	return []Route{
		page("/email", access.Administer, ui.Mail(m.Desk, m.Now)),
		form("/email/test", access.Administer, ui.TestMail(m.Desk, m.Now)),
	}
}
