package ui

import (
	"time"

	"berth/core/repositories"
)

func sampleHook() repositories.Webhook {
	return repositories.Webhook{
		Repository: repositories.Repository{ID: "rep_1", Name: "apps", URL: "https://github.com/team/apps.git", Branch: "main", HookedAt: before(3 * time.Minute)},
		Secrets:    []repositories.WebhookSecret{{ID: "whs_2", MadeAt: before(time.Hour), MadeBy: "ada@example.org"}, {ID: "whs_1", MadeAt: before(900 * time.Hour), MadeBy: "grace@example.org"}},
		LastAt:     before(3 * time.Minute)}
}

func sampleWebhook() webhookPage {
	hook := sampleHook()
	hook.RefusedAt, hook.Repository.UnannouncedAt = before(time.Minute), before(2*time.Minute)
	page := newWebhookPage(hook, "https://berth.example.com", sampleNow)
	for _, d := range []repositories.Delivery{
		{ID: "whd_4", Provider: repositories.ProviderGitHub, Event: "push", Commit: "9f31c02d4a5e6f7a8b9c0d1e2f3a4b5c6d7e8f90", Result: repositories.DeliveryAccepted, Reason: "branch main was pushed to: commit 9f31c02d4a", ReceivedAt: before(3 * time.Minute)},
		{ID: "whd_3", Provider: repositories.ProviderGitHub, Event: "push", Commit: "77aa10b2c3d4e5f60718293a4b5c6d7e8f901234", Result: repositories.DeliveryAccepted, Reason: "branch main was pushed to: commit 77aa10b2c3", ReceivedAt: before(time.Hour),
			LookedAt: before(time.Hour), Outcome: "looked at commit 77aa10b2c3: 2 deployments were asked for", Repeats: 1},
		{ID: "whd_2", Provider: repositories.ProviderGitHub, Event: "push", Result: repositories.DeliveryIgnored, Reason: "branch ada/try was pushed to; this repository is deployed from main", ReceivedAt: before(2 * time.Hour), Repeats: 3},
		{ID: "whd_1", Provider: repositories.ProviderGeneric, Event: "call", Result: repositories.DeliveryUnreadable, Reason: "the body is not a JSON object with the texts ref, commit and delivery, of which each may be left out", ReceivedAt: before(26 * time.Hour)},
	} {
		page.Deliveries = append(page.Deliveries, deliveryOf(d, page.Href, sampleNow))
	}
	page.NextHref = "/x"
	return page
}

func sampleWebhookMade() webhookPage {
	page := newWebhookPage(sampleHook(), "https://berth.example.com", sampleNow)
	page.Issued, page.Secret = true, copyable{"hook-secret", "secret of the webhook", "berth_wh_K4Q4LDZCGRBZK4GBQSMUQ2ZFLCH2KC2OKUKEAP3UDIWBUCWO4DQW"}
	return page
}
