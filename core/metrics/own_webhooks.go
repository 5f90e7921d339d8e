package metrics

import (
	"time"

	"berth/core/repositories"
)

// ownWebhooks are the families about what Git hosts send by themselves.
type ownWebhooks struct{ came, last *vector }

func (w *ownWebhooks) declare(o *Own) {
	w.came = o.declare(TypeCounter, "berth_webhook_deliveries_total", "Calls of repositories' webhooks, by kind of Git host and what they did.", []string{"provider", "result"})
	for _, provider := range repositories.Providers {
		for _, result := range repositories.DeliveryResults {
			w.came.add(0, string(provider), string(result))
		}
	}
	w.last = o.declare(TypeGauge, "berth_webhook_last_delivery_timestamp_seconds", "Time when a webhook of any repository last asked for a look; absent before the first.", nil)
}

// Delivered implements repositories.HookMeter.
func (o *Own) Delivered(provider repositories.Provider, result repositories.DeliveryResult) {
	o.webhooks.came.add(1, string(provider), string(result))
}

// know sets when a delivery last came; zero: never.
func (w *ownWebhooks) know(at time.Time) {
	if at.IsZero() {
		w.last.end()
		return
	}
	w.last.set(float64(at.Unix()))
}
