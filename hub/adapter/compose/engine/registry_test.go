package engine

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"berth/core/fault"
)

// registryStand serves one image called "app" with the tag 1, as a registry does, at an
// address of this host, which engines trust without TLS. With a password set it asks
// for it.
func registryStand(t *testing.T, password string) (address string) {
	t.Helper()
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	text := []byte(t.Name())
	if err := w.WriteHeader(&tar.Header{Name: "name", Mode: 0o644, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	w.Write(text)
	w.Close()
	blobs := map[string][]byte{}
	put := func(content []byte) string {
		digest := fmt.Sprintf("sha256:%x", sha256.Sum256(content))
		blobs[digest] = content
		return digest
	}
	layerDigest := put(layer.Bytes())
	settings := fmt.Sprintf(`{"architecture":"amd64","os":"linux","config":{"Cmd":["/x"]},"rootfs":{"type":"layers","diff_ids":[%q]}}`, layerDigest)
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
		"config": map[string]any{"mediaType": "application/vnd.docker.container.image.v1+json", "size": len(settings), "digest": put([]byte(settings))},
		"layers": []any{map[string]any{"mediaType": "application/vnd.docker.image.rootfs.diff.tar", "size": layer.Len(), "digest": layerDigest}},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, given, _ := r.BasicAuth()
		_, digest, isBlob := strings.Cut(r.URL.Path, "/v2/app/blobs/")
		switch {
		case given != password:
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			http.Error(w, `{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}`, http.StatusUnauthorized)
		case r.URL.Path == "/v2/":
		case r.URL.Path == "/v2/app/manifests/1" || strings.HasPrefix(r.URL.Path, "/v2/app/manifests/sha256:"):
			w.Header().Set("Content-Type", "application/vnd.docker.distribution.manifest.v2+json")
			w.Header().Set("Docker-Content-Digest", fmt.Sprintf("sha256:%x", sha256.Sum256(manifest)))
			w.Write(manifest)
		case isBlob && blobs[digest] != nil:
			w.Write(blobs[digest])
		default:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}`)
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func pullStack(t *testing.T, address, tag string) *stack {
	s := newStack(t, "services: {web: {image: \""+address+"/app:"+tag+"\"}}")
	t.Cleanup(func() {
		_, _ = s.engine.docker.ImageRemove(context.Background(), address+"/app:1", client.ImageRemoveOptions{Force: true})
	})
	return s
}

func TestPullFetchesWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := pullStack(t, registryStand(t, ""), "1")
	if err := s.engine.Pull(t.Context(), s.Project, false, s.note); err != nil {
		t.Fatal(err)
	}
	if !s.hasLine("web: pulling image ") || !s.hasLine("/app:1 pulled") {
		t.Errorf("log is %q", s.lines)
	}
	s.lines = nil
	if err := s.engine.Pull(t.Context(), s.Project, false, s.note); err != nil || len(s.lines) != 0 {
		t.Errorf("again: %v, %q", err, s.lines)
	}
	if err := s.engine.Pull(t.Context(), s.Project, true, s.note); err != nil || len(s.lines) == 0 {
		t.Errorf("forced: %v, %q", err, s.lines)
	}
}

func TestPullNamesAMissingTag(t *testing.T) {
	t.Parallel()
	s := pullStack(t, registryStand(t, ""), "2")
	err := s.engine.Pull(t.Context(), s.Project, false, s.note)
	if fault.CodeOf(err) != "engine.image" || !strings.Contains(err.Error(), "the registry has no such image or tag") {
		t.Errorf("got %v", err)
	}
}

func TestPullUsesTheHostsLogin(t *testing.T) {
	address := registryStand(t, "pass word")
	s := pullStack(t, address, "1")
	err := s.engine.Pull(t.Context(), s.Project, false, s.note)
	if fault.CodeOf(err) != "engine.image" || !strings.Contains(err.Error(), "the registry refuses it") {
		t.Errorf("without a login: %v", err)
	}
	logins := map[string]string{
		"a kept password":     fmt.Sprintf(`{"auths": {%q: {"auth": "dTpwYXNzIHdvcmQ="}}}`, address), // u:pass word
		"one kept as URL":     fmt.Sprintf(`{"auths": {"https://%s/v1/": {"auth": "dTpwYXNzIHdvcmQ="}}}`, address),
		"a credential helper": fmt.Sprintf(`{"credHelpers": {%q: "berthtest"}}`, address),
	}
	helpers := t.TempDir()
	script := "#!/bin/sh\nread host\n[ -n \"$WORKER_TOKEN\" ] && exit 1\n[ \"$host\" = " + address + " ] && echo '{\"Username\": \"u\", \"Secret\": \"pass word\"}'\n"
	if err := os.WriteFile(filepath.Join(helpers, "docker-credential-berthtest"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", helpers+":"+os.Getenv("PATH"))
	t.Setenv("WORKER_TOKEN", "must not be seen")
	for name, file := range logins {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.json")
			if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			s.engine.registries.path = path
			if err := s.engine.Pull(t.Context(), s.Project, true, s.note); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestABrokenLoginIsNamed(t *testing.T) {
	t.Parallel()
	s := pullStack(t, "127.0.0.1:1", "1")
	for name, file := range map[string]string{"no JSON": "{", "a helper that is a path": `{"credsStore": "../../bin/sh"}`, "a helper that is away": `{"credsStore": "not-there"}`} {
		path := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		s.engine.registries.path = path
		err := s.engine.Pull(t.Context(), s.Project, true, s.note)
		if fault.CodeOf(err) != "engine.image" || !strings.Contains(err.Error(), "docker login") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
