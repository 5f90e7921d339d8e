package git

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"berth/core/secrets"
)

// setting is one line of Git configuration. It reaches git through its environment, so
// that a secret in it stands in no argument list and no file.
type setting struct {
	key   string
	value secrets.Value
}

func set(key, value string) setting { return setting{key, secrets.NewValue(value)} }

// settings apply to every run of git.
var settings = []setting{
	// Nothing of a repository or of the machine may start a program.
	set("core.hooksPath", os.DevNull),
	set("core.fsmonitor", "false"),
	set("credential.helper", ""),
	set("core.askPass", ""),
	set("submodule.recurse", "false"),
	set("fetch.recurseSubmodules", "false"),
	set("advice.fetchShowForcedUpdates", "false"),
	// A mirror on a volume of another user is still our mirror.
	set("safe.directory", "*"),
	// Redirects are judged before git runs.
	set("http.followRedirects", "false"),
	set("protocol.version", "2"),
	// Objects are checked on arrival, but for slips of old programs that harm nobody.
	set("fetch.fsckObjects", "true"),
	set("fetch.fsck.zeroPaddedFilemode", "ignore"),
	set("fetch.fsck.badTimezone", "ignore"),
	set("fetch.fsck.missingSpaceBeforeDate", "ignore"),
	set("fetch.fsck.multipleAuthors", "ignore"),
	// Upkeep happens when we say so, in the foreground; each fetch leaves one pack.
	set("gc.auto", "0"),
	set("gc.autoDetach", "false"),
	set("gc.packRefs", "false"),
	set("gc.cruftPacks", "true"),
	set("maintenance.auto", "false"),
	set("fetch.unpackLimit", "1"),
	// Memory: large files are streamed, and two threads share the rest.
	set("core.bigFileThreshold", "16m"),
	set("pack.threads", "2"),
	set("pack.windowMemory", "64m"),
}

// passed are the variables of our own environment that git may see: where programs are,
// and how this machine reaches the network.
var passed = []string{"PATH", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR"}

// environment returns everything that a run of git sees.
func (p program) environment(extra []setting) []string {
	env := []string{
		"HOME=" + p.home,
		"LC_ALL=C", // messages are matched
		"GIT_DIR=.",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ALLOW_PROTOCOL=" + cmp.Or(p.protocols, "http:https"),
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_DEFAULT_REF_FORMAT=files", // the mirror's head is read as a file
	}
	for _, name := range passed {
		if value, found := os.LookupEnv(name); found {
			env = append(env, name+"="+value)
		}
	}
	if bundle := os.Getenv("SSL_CERT_FILE"); bundle != "" {
		env = append(env, "GIT_SSL_CAINFO="+bundle)
	}
	if folder := os.Getenv("SSL_CERT_DIR"); folder != "" && !strings.Contains(folder, ":") {
		env = append(env, "GIT_SSL_CAPATH="+folder)
	}
	if proxy := os.Getenv("HTTP_PROXY"); proxy != "" && os.Getenv("http_proxy") == "" {
		env = append(env, "http_proxy="+proxy) // the only spelling that git reads for http
	}
	all := append(settings[:len(settings):len(settings)], extra...)
	env = append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(all)))
	for i, s := range all {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s.value.Reveal()))
	}
	return env
}
