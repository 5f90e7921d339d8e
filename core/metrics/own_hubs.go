package metrics

// ownHubs is the family about this hub, where there may be several.
type ownHubs struct{ up *vector }

func (h *ownHubs) declare(o *Own) {
	h.up = o.declare(TypeGauge, hubUpName, hubUpHelp, []string{"url"})
}

// reached says where other hubs and handlers reach this one, which is up as long as it says so.
func (h *ownHubs) reached(url string) { h.up.add(1, url) }
