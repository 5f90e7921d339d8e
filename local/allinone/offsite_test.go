package allinone_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/local/stand/bucket"
)

// TestAnEmptyMachineIsBroughtBack is the drill against a server in memory.
func TestAnEmptyMachineIsBroughtBack(t *testing.T) {
	store := bucket.New()
	server := httptest.NewServer(store)
	defer server.Close()
	drill(t, map[string]string{"endpoint": server.URL, "region": store.Region, "bucket": store.Bucket, "access_key": store.AccessKey, "secret_key": store.SecretKey})
	for _, key := range store.Keys() {
		if !strings.HasPrefix(key, "berth/berth-") {
			t.Errorf("the bucket holds %s", key)
		}
		if text := string(store.Object(key)); !strings.HasPrefix(text, "age-encryption.org/v1") || strings.Contains(text, adminMail) || strings.Contains(text, "SQLite") {
			t.Errorf("%s can be read by whoever has the bucket", key)
		}
	}
}

// useBucket does what the README says under copies off site: configure, test, enable.
func (b *person) useBucket(settings map[string]string) {
	b.p.t.Helper()
	text, err := json.Marshal(map[string]any{"enabled": true, "settings": settings})
	if err != nil {
		b.p.t.Fatal(err)
	}
	b.ask(200, "PUT", "/integrations/s3", string(text))
	if got := b.ask(200, "POST", "/integrations/s3/test", ""); got["ok"] != true {
		b.p.t.Fatalf("the test of the storage: %v", got)
	}
}

// copied waits until there is a copy of a backup off site.
func (b *person) copied(name string) {
	b.p.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); b.where(name) != "both"; <-tick.C {
		if time.Since(began) > wait {
			b.p.t.Fatalf("no copy of %s: %v\n%s", name, b.ask(200, "GET", "/backups", ""), b.p.log)
		}
	}
}

// where says where a backup is; "" where there is none.
func (b *person) where(name string) string {
	b.p.t.Helper()
	for _, item := range b.ask(200, "GET", "/backups", "")["items"].([]any) {
		if one := item.(map[string]any); one["name"] == name {
			return one["where"].(string)
		}
	}
	return ""
}

// drill has a machine burn, and brings another back from the bucket by the steps of the README.
func drill(t *testing.T, settings map[string]string) {
	key, dir := freshKey(), t.TempDir()
	p := embedded(t, dir, key, nil)
	ada := p.person()
	ada.setUp()
	ada.add("SAVED", "far away")
	ada.useBucket(settings)
	name := ada.ask(201, "POST", "/backups", "")["name"].(string)
	ada.copied(name)
	if got := ada.ask(200, "POST", "/backups/rehearse", ""); got["ok"] != true || got["backup"] != name {
		t.Errorf("the rehearsal: %v\n%s", got, p.log)
	}
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil { // the machine burns
		t.Fatal(err)
	}

	p = embedded(t, t.TempDir(), key, nil)
	bob := p.person()
	bob.setUp()
	bob.useBucket(settings)
	if got := bob.where(name); got != "offsite" {
		t.Fatalf("the backup is %q\n%s", got, p.log)
	}
	bob.ask(202, "POST", "/backups/"+name+"/restore", "")
	p.opens()
	bob.signIn()
	if got := bob.names(); got != "SAVED" {
		t.Errorf("there are the variables %s\n%s", got, p.log)
	}
	bob.copied(name) // what was restored goes on copying, with the settings that were in the backup
}

// TestACopyUnderAFalseNameIsNotRestored: whoever has the bucket may put an old archive in the place of a new one.
func TestACopyUnderAFalseNameIsNotRestored(t *testing.T) {
	store := bucket.New()
	server := httptest.NewServer(store)
	defer server.Close()
	dir := t.TempDir()
	p := embedded(t, dir, freshKey(), nil)
	ada := p.person()
	ada.setUp()
	ada.useBucket(map[string]string{"endpoint": server.URL, "region": store.Region, "bucket": store.Bucket, "access_key": store.AccessKey, "secret_key": store.SecretKey})
	name := ada.ask(201, "POST", "/backups", "")["name"].(string)
	ada.copied(name)
	const false1 = "berth-20990101T000000Z-manual-0102ff.backup"
	content := store.Object("berth/" + name)
	store.Set("berth/"+false1, content)
	store.Set("berth/"+strings.Replace(false1, "2099", "2098", 1), content[:len(content)/2])
	ada.ask(200, "PUT", "/integrations/s3", `{"enabled":true}`) // it is looked at again
	for what, path := range map[string]string{"an older archive": false1, "half of one": strings.Replace(false1, "2099", "2098", 1)} {
		if got := ada.where(path); got != "offsite" {
			t.Errorf("%s is %q", what, got)
		}
		ada.ask(422, "POST", "/backups/"+path+"/fetch", "")
		ada.ask(422, "POST", "/backups/"+path+"/restore", "")
		ada.ask(409, "GET", "/backups/"+path, "")
		if _, err := os.Stat(filepath.Join(dir, "backups", path)); !os.IsNotExist(err) {
			t.Errorf("%s was kept: %v", what, err)
		}
	}
}
