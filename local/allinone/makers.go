package allinone

import "berth/core/integrations"

// makers make the clients of secret backends, by slug.
func makers() map[string]integrations.Maker {
	return map[string]integrations.Maker{}
}
