package worker

import (
	"slices"
	"strings"
)

// allowedVariables are what programs that the container engine's client starts may need
// (credential helpers, ssh to a remote engine). Names that end in * are prefixes.
var allowedVariables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LC_*", "XDG_*",
	"DOCKER_*", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
}

// Environment returns what a worker's process may keep of environ, "NAME=value" each, and
// so hand on to its children. Whatever is not listed goes: the worker's token first of all.
func Environment(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.ContainsFunc(allowedVariables, func(allowed string) bool {
			prefix, isPrefix := strings.CutSuffix(allowed, "*")
			return name == allowed || isPrefix && strings.HasPrefix(name, prefix)
		})
	})
}
