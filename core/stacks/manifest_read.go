package stacks

import (
	"time"

	"berth/core"
	"berth/core/document"
)

// ManifestFiles are the names under which a stack's folder may hold its manifest.
var ManifestFiles = []string{"wireops.yaml", "wireops.yml"}

// ManifestVersion is the one version of the manifest that this program reads.
const ManifestVersion = "wireops.v1"

// ReadManifest checks a decoded wireops.yaml and fills in the defaults. Every problem is
// reported at once, with its line where the document knows it. The file is named in
// the fault: Invalid "manifest.invalid".
func ReadManifest(file string, doc core.Document) (Manifest, error) {
	r := document.New(doc)
	m := DefaultManifest()
	r.Keys("version", "name", "group", "timeout", "compose", "jobs", "worker", "sync", "deploy", "secrets")
	checkVersion(r)
	r.Text("name", &m.Name)
	r.Text("group", &m.Group)
	r.Duration("timeout", &m.Timeout, time.Second, 24*time.Hour)
	r.Section("compose", "files", "profiles", "remove_orphans", "force_pull")
	r.Texts("compose.files", &m.Files)
	r.Texts("compose.profiles", &m.Profiles)
	r.Flag("compose.remove_orphans", &m.RemoveOrphans)
	r.Flag("compose.force_pull", &m.ForcePull)
	r.Section("jobs", "wait_running")
	r.Flag("jobs.wait_running", &m.WaitRunning)
	r.Section("worker", "tags")
	r.Texts("worker.tags", &m.WorkerTags)
	r.Section("sync", "interval", "self_heal")
	r.Duration("sync.interval", &m.SyncInterval, time.Second, 7*24*time.Hour)
	r.Flag("sync.self_heal", &m.SelfHeal)
	r.Section("deploy", "health_timeout", "stable_for", "on_failure")
	r.Duration("deploy.health_timeout", &m.HealthTimeout, time.Second, 24*time.Hour)
	r.Duration("deploy.stable_for", &m.StableFor, 0, time.Hour)
	document.Choice(r, "deploy.on_failure", &m.OnFailure, OnFailureKeep, OnFailureRollback)
	r.Section("secrets", "redeploy_on_rotation")
	r.Flag("secrets.redeploy_on_rotation", &m.RedeployOnRotation)
	checkTags(r, m.WorkerTags)
	if err := r.Fault(file, "manifest.invalid"); err != nil {
		return Manifest{}, err
	}
	return m, nil
}

func checkVersion(r *document.Reader) {
	switch v := r.At("version"); v {
	case ManifestVersion:
	case nil:
		r.Complain("version", "is required: %s", ManifestVersion)
	default:
		r.Complain("version", "this program reads %s", ManifestVersion)
	}
}

func checkTags(r *document.Reader, tags []string) {
	for _, tag := range tags {
		if !core.ValidTag(tag) {
			r.Complain("worker.tags", "a tag has letters, digits, - and _ only")
		}
	}
}
