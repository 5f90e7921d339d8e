package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIdentityIsMadeOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, err := Identity(dir)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, keyFile)
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	second, err := Identity(dir)
	if err != nil || !first.Equal(second) {
		t.Errorf("the second key is another one: %v", err)
	}
	if stat, err := os.Stat(name); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", stat.Mode(), err)
	}
	other, err := Identity(filepath.Join(t.TempDir(), "data"))
	if err != nil || other.Equal(first) {
		t.Errorf("two workers have one key: %v", err)
	}
}

func TestIdentityThatCannotBeReadIsNotReplaced(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "no PEM": "key", "no key": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
		"another kind": "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2\nOF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r\n1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G\n-----END PRIVATE KEY-----\n",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, keyFile)
		writeFile(t, file, content)
		_, err := Identity(dir)
		if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "new token") {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != content {
			t.Errorf("%s: the file was changed to %q, %v", name, now, err)
		}
	}
}

func TestDigestKeyBelongsToTheIdentity(t *testing.T) {
	first, err := Identity(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	second, err := Identity(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a, _ := digestKey(first)
	again, _ := digestKey(first)
	b, _ := digestKey(second)
	if len(a) != 32 || !bytes.Equal(a, again) || bytes.Equal(a, b) {
		t.Errorf("keys %x, %x, %x", a, again, b)
	}
	if bytes.Contains(first.Seed(), a[:16]) {
		t.Error("the key gives away the identity")
	}
}

func TestEnvironmentKeepsNoToken(t *testing.T) {
	got := Environment([]string{"WORKER_TOKEN=berth_wt_x", "PATH=/bin", "SERVER_URL=https://x", "DOCKER_HOST=tcp://y", "LC_ALL=C", "SECRET_KEY=z", "PATHOLOGY=1", "HOME=/root", "https_proxy=p", "DOCKER=1"})
	want := "PATH=/bin DOCKER_HOST=tcp://y LC_ALL=C HOME=/root https_proxy=p"
	if strings.Join(got, " ") != want {
		t.Errorf("kept %v, want %s", got, want)
	}
}

func TestComposeFolderOfSomebodyElseIsRefused(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	writeFile(t, file, "")
	for _, name := range []string{link, file} {
		if root, err := openComposes(name); err == nil {
			root.Close()
			t.Errorf("%s was opened", name)
		}
	}
	if root, err := openComposes(""); root != nil || err != nil {
		t.Errorf("without a folder: %v, %v", root, err)
	}
}
