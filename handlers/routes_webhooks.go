package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
	"berth/handlers/hook"
)

// WebhooksDeps is what webhooks need.
type WebhooksDeps struct{ Desk WebhooksDesk }

// WebhooksDesk is the use cases of webhooks; *repositories.Hooks has them.
type WebhooksDesk interface {
	hook.Receiver
	api.WebhookFinder
	api.WebhookSecretMaker
	api.WebhookSecretDropper
	api.WebhookCloser
	api.DeliveryLister
	api.DeliveryReplayer
}

func webhookRoutes(d Deps) []Route {
	desk, app := d.Webhooks.Desk, d.origin()
	const all, of = "/api/custom/webhooks/{repository_id}", "/api/custom/repositories/{id}/webhook"
	row := func(method, pattern string, may access.Capability, handler http.Handler, op Operation) Route {
		op.Tag = "webhooks"
		return Route{Method: method, Pattern: pattern, Capability: may, Surface: guard.API, Handler: handler, Operation: op}
	}
	receive := row(http.MethodPost, all, access.Public, hook.Receive(desk), Operation{Summary: "Tell of a push, as the repository's Git host",
		Detail: "GitHub, GitLab, Gitea, Forgejo and Bitbucket send what they do, signed or with the secret as their token; the body is at most 1 MiB. " +
			"Anything else sends the secret as Authorization: Bearer. What came before is counted and does nothing again.",
		Request: hook.DeliveryCall{}, Response: hook.ReceivedAnswer{}, Status: http.StatusAccepted, Problems: []int{http.StatusUnauthorized, http.StatusNotFound}})
	receive.Surface = guard.Hook
	return []Route{
		receive,
		row(http.MethodGet, all+"/deliveries", access.View, api.ListDeliveries(desk),
			Operation{Summary: "List what came to a repository's webhook, newest first", Response: endpoint.Items[api.DeliveryAnswer]{}, Status: http.StatusOK, Query: pageParams}),
		row(http.MethodPost, all+"/deliveries/{id}/replay", access.Operate, api.ReplayDelivery(desk),
			Operation{Summary: "Do once more what a delivery said", Response: api.DeliveryAnswer{}, Status: http.StatusAccepted}),
		row(http.MethodGet, of, access.View, api.GetWebhook(desk, app),
			Operation{Summary: "Show how a repository is told of pushes", Response: api.WebhookAnswer{}, Status: http.StatusOK}),
		row(http.MethodPost, of+"/secret", access.Operate, api.CreateWebhookSecret(desk, app),
			Operation{Summary: "Make the webhook's next secret; the one before stays good", Response: api.NewWebhookSecretAnswer{}, Status: http.StatusCreated}),
		row(http.MethodDelete, of+"/secret", access.Operate, api.DeleteWebhookSecrets(desk),
			Operation{Summary: "Turn the webhook off: none of its secrets is good any more", Status: http.StatusNoContent}),
		row(http.MethodDelete, of+"/secret/previous", access.Operate, api.DeletePreviousWebhookSecret(desk),
			Operation{Summary: "End what the webhook's previous secret is good for", Status: http.StatusNoContent, Problems: []int{http.StatusConflict}}),
	}
}
