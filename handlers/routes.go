package handlers

import "slices"

// Routes is the whole HTTP surface, one section for each area.
func Routes(d Deps) []Route {
	described := slices.Concat(
		opsRoutes(d),
		repositoryRoutes(d),
		repositoryKeyRoutes(d),
		variableRoutes(d),
		stackRoutes(d),
		deploymentRoutes(d),
		identityRoutes(d),
		workerRoutes(d),
		metricsRoutes(d),
	)
	return slices.Concat(described, openAPIRoutes(d, described), uiRoutes(d))
}
