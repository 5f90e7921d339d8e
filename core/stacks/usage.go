package stacks

import "time"

// How often workers look at what containers use, and for how long they remember it.
const (
	UsageEvery = 30 * time.Second
	UsageKept  = 30 * time.Minute
)

// ServiceUsage is what the containers of a compose service used together, oldest first.
type ServiceUsage struct {
	Service string        `json:"service"`
	Samples []UsageSample `json:"samples"`
}

// UsageSample is what a compose service used of its host at a moment.
type UsageSample struct {
	At     time.Time `json:"at"`
	CPU    int       `json:"cpu"`    // thousandths of one processor, since the look before
	Memory int64     `json:"memory"` // bytes, without what the kernel only caches of files
}
