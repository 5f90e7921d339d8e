package render

import "strings"

// secretPlaces says where a secret variable may stand.
const secretPlaces = "secrets may be used in environment, command, entrypoint, healthcheck, labels, logging options, hooks, and in the content of configs and secrets"

// secretPatterns are those places in the rendered project. Everywhere else a secret
// could change what the project is (an image, a mount, a privilege) after it was judged.
var secretPatterns = [...]string{
	"services.*.environment.*",
	"services.*.command.*",
	"services.*.entrypoint.*",
	"services.*.healthcheck.test.*",
	"services.*.labels.*",
	"services.*.annotations.*",
	"services.*.logging.options.*",
	"services.*.pre_start.*.command.*", "services.*.pre_start.*.environment.*",
	"services.*.post_start.*.command.*", "services.*.post_start.*.environment.*",
	"services.*.pre_stop.*.command.*", "services.*.pre_stop.*.environment.*",
	"configs.*.content",
	"secrets.*." + secretValueKey,
}

// secretAllowed reports whether a secret may stand at the path.
func secretAllowed(at []string) bool {
	for _, pattern := range secretPatterns {
		if matches(strings.Split(pattern, "."), at) {
			return true
		}
	}
	return false
}

func matches(pattern, at []string) bool {
	if len(pattern) != len(at) {
		return false
	}
	for i, segment := range pattern {
		if segment != "*" && segment != at[i] {
			return false
		}
	}
	return true
}
