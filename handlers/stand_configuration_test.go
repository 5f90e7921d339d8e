package handlers_test

import (
	"berth/core/configuration"
	"berth/core/fleet"
	"berth/core/integrations"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/hub/adapter/yaml"
)

// configurationDesk is the real use cases on those of the stand.
func (s *stand) configurationDesk() *configuration.Desk {
	return configuration.NewDesk(configuration.Desks{Store: s.store, Repositories: s.deps.Repositories.Desk.(*repositories.Desk), Hooks: s.deps.Webhooks.Desk.(*repositories.Hooks),
		Integrations: s.deps.Integrations.Desk.(*integrations.Desk), Variables: s.deps.Variables.Desk.(*variables.Desk), Stacks: s.deps.Stacks.Desk.(*stacks.Desk),
		Jobs: s.deps.Jobs.Desk.(*jobs.Desk), Fleet: s.deps.Workers.Desk.(*fleet.Desk), Accounts: s.accounts, Documents: yaml.Configuration{}})
}
