package metrics

import "berth/core/hubs"

// HubUp says of a known hub whether it answered a scrape. It stays, as 0, for as long as a hub is
// remembered that died: see hubs.Remember.
func HubUp(h hubs.Hub, answered bool) Exposition {
	value := 0.0
	if answered {
		value = 1
	}
	text := header(hubUpName, TypeGauge, "Whether the hub answered this scrape (1) or not (0). One that died stays as 0 for a day, or until a hub begins at the same URL.")
	return Exposition{Hub: string(h.ID), Text: appendSeries(text, hubUpName, []Label{{"url", h.URL}}, value)}
}

const hubUpName = "berth_hub_up"
