package allinone

import (
	"berth/core"
	"berth/core/backups"
	"berth/core/integrations"
	"berth/core/secrets"
	"berth/hub/adapter/manager"
	"berth/hub/adapter/outbound"
	"berth/hub/adapter/s3"
	kv "berth/hub/adapter/vault"
)

// storages make the storages of copies of backups, by slug, of the settings that core/integrations declares.
func storages(now core.Clock) map[string]integrations.StorageMaker {
	return map[string]integrations.StorageMaker{
		integrations.S3: func(o integrations.Opened) (backups.Storage, error) {
			return s3.New(s3.Settings{Endpoint: o.Settings["endpoint"], Region: o.Settings["region"], Bucket: o.Settings["bucket"], Prefix: o.Settings["prefix"],
				AccessKey: o.Settings["access_key"], SecretKey: o.Secrets["secret_key"], PathStyle: o.Settings["path_style"] == "true"}, outbound.Options{}, now)
		},
	}
}

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
