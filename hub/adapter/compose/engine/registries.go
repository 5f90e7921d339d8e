package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/distribution/reference"
	"github.com/docker/cli/cli/config"
	"github.com/docker/cli/cli/config/configfile"
	"github.com/moby/moby/api/pkg/authconfig"
	"github.com/moby/moby/api/types/registry"
)

// registries knows the passwords that "docker login" keeps on this host.
type registries struct{ path string }

// hubKey is the name under which Docker Hub's password is kept.
const hubKey = "https://index.docker.io/v1/"

// auth returns what the engine sends to the image's registry; empty when the host is not
// logged in there. The file is read each time, so that a new login counts at once.
func (r registries) auth(ctx context.Context, image string) (string, error) {
	ref, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return "", errors.New("the name is not one of an image")
	}
	key := reference.Domain(ref)
	if key == "docker.io" {
		key = hubKey
	}
	file, err := r.read()
	if err != nil || file == nil {
		return "", err
	}
	helper := file.CredentialsStore
	if own := file.CredentialHelpers[reference.Domain(ref)]; own != "" {
		helper = own
	}
	var found registry.AuthConfig
	if helper != "" {
		found, err = askHelper(ctx, helper, key)
		if err != nil {
			return "", err
		}
	} else {
		found = stored(file, key)
	}
	if found == (registry.AuthConfig{}) {
		return "", nil
	}
	found.ServerAddress = key
	return authconfig.Encode(found)
}

// read returns nil when there is no file.
func (r registries) read() (*configfile.ConfigFile, error) {
	if r.path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the host's registry passwords cannot be read: %w", err)
	}
	file, err := config.LoadFromReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s is not a Docker configuration", r.path)
	}
	return file, nil
}

func stored(file *configfile.ConfigFile, key string) registry.AuthConfig {
	for name, a := range file.AuthConfigs {
		if name == key || bareHost(name) == key {
			return registry.AuthConfig{Username: a.Username, Password: a.Password, IdentityToken: a.IdentityToken, RegistryToken: a.RegistryToken}
		}
	}
	return registry.AuthConfig{}
}

// bareHost undoes the URL form in which older logins were kept.
func bareHost(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	host, _, _ := strings.Cut(name, "/")
	return host
}

const (
	helperTime   = 20 * time.Second
	maxHelperOut = 64 << 10
)

var helperName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,63}$`)

// askHelper asks a credential helper that the host's configuration names. It sees only
// the variables it needs, not those of the worker.
func askHelper(ctx context.Context, helper, key string) (registry.AuthConfig, error) {
	if !helperName.MatchString(helper) {
		return registry.AuthConfig{}, fmt.Errorf("the credential helper %q is not a name", helper)
	}
	ctx, cancel := context.WithTimeout(ctx, helperTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "docker-credential-"+helper, "get")
	cmd.Stdin = strings.NewReader(key)
	cmd.Env = helperEnvironment()
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		if strings.Contains(string(out), "credentials not found") {
			return registry.AuthConfig{}, nil
		}
		return registry.AuthConfig{}, fmt.Errorf("the credential helper %s failed: %w", helper, err)
	}
	var answer struct{ Username, Secret string }
	if len(out) > maxHelperOut || json.Unmarshal(out, &answer) != nil {
		return registry.AuthConfig{}, fmt.Errorf("the credential helper %s gave no usable answer", helper)
	}
	if answer.Username == "<token>" {
		return registry.AuthConfig{IdentityToken: answer.Secret}, nil
	}
	return registry.AuthConfig{Username: answer.Username, Password: answer.Secret}, nil
}

func helperEnvironment() []string {
	var allowed []string
	for _, name := range []string{"PATH", "HOME", "USER", "TMPDIR", "XDG_RUNTIME_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"} {
		if value, set := os.LookupEnv(name); set {
			allowed = append(allowed, name+"="+value)
		}
	}
	return allowed
}
