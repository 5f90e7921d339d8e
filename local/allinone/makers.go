package allinone

import (
	"berth/core/integrations"
	"berth/core/secrets"
	"berth/hub/adapter/manager"
	"berth/hub/adapter/outbound"
	kv "berth/hub/adapter/vault"
)

// makers make the clients of secret backends, by slug, of the settings that core/integrations declares.
func makers() map[string]integrations.Maker {
	return map[string]integrations.Maker{
		secrets.Vault: func(o integrations.Opened) (integrations.Backend, error) {
			return kv.New(kv.Settings{Address: o.Settings["address"], Token: o.Secrets["token"], AllowedMount: o.Settings["allowed_mount"]}, outbound.Options{})
		},
		secrets.Manager: func(o integrations.Opened) (integrations.Backend, error) {
			return manager.New(manager.Settings{SiteURL: o.Settings["site_url"], ClientID: o.Settings["client_id"], ClientSecret: o.Secrets["client_secret"],
				AllowedProject: o.Settings["allowed_project_id"]}, outbound.Options{})
		},
	}
}
