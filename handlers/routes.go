package handlers

import (
	"slices"

	"berth/handlers/endpoint"
)

// Routes is the whole HTTP surface, one section for each area.
func Routes(d Deps) []Route {
	described := slices.Concat(
		opsRoutes(d),
		aboutRoutes(d),
		repositoryRoutes(d),
		repositoryKeyRoutes(d),
		gitHostRoutes(d),
		webhookRoutes(d),
		variableRoutes(d),
		integrationRoutes(d),
		auditRoutes(d),
		backupRoutes(d),
		configurationRoutes(d),
		stackRoutes(d),
		sopsRoutes(d),
		deploymentRoutes(d),
		jobRoutes(d),
		runRoutes(d),
		identityRoutes(d),
		workerRoutes(d),
		policyRoutes(d),
		hubRoutes(d),
		eventRoutes(d),
		mailRoutes(d),
		keyRoutes(d.Keys),
		metricsRoutes(d),
	)
	for i, r := range described {
		if r.Live {
			described[i].Handler = endpoint.TellingHubAway(d.Hubs.Store, r.Handler)
		}
	}
	return slices.Concat(described, openAPIRoutes(d, described), uiRoutes(d))
}
