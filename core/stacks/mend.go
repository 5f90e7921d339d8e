package stacks

import "berth/core"

// mended lists the faults that time does not mend: what is in the repository has to change, or a
// variable of the stack. True when that may be in a file outside the stack's folder, which nobody
// watches before the stack was rendered once.
var mended = map[string]bool{
	"compose.file_missing":  true,
	"compose.invalid":       true,
	"compose.path_escapes":  true,
	"compose.too_large":     true,
	"compose.unsupported":   true,
	"lint.failed":           true,
	"manifest.invalid":      false,
	"sops.invalid":          false,
	"sops.malformed":        false,
	"sops.not_a_file":       false,
	"sops.not_encrypted":    false,
	"sops.not_flat":         false,
	"sops.other_keys":       false,
	"sops.other_recipients": false,
	"sops.tampered":         false,
	"sops.too_large":        false,
}

// Stands reports whether a failure with this code would only repeat itself: it is not tried again by
// itself, but when something that may mend it has changed.
func Stands(code string) bool {
	_, stands := mended[code]
	return stands
}

// MendedOutside reports whether what mends such a failure may lie outside the stack's folder, so that
// every commit of the repository is a reason to try again.
func MendedOutside(code string) bool { return mended[code] }

// Stands reports whether the stack's last failure waits for a change, so that nothing is planned.
func (s Stack) Stands() bool {
	return s.Status == StatusError && s.Retry.Of != "" && s.RetryAt.IsZero() && (s.AutoSync || s.Retry.ByItself())
}

// Repeats reports whether a deployment of the branch's head at a commit would only repeat the stack's last failure: that was of
// this very commit, and waits for a change.
func (s Stack) Repeats(commit core.Commit) bool {
	return commit != "" && commit == s.Retry.Failed && !s.Retry.ByItself() && s.Stands()
}

// Untouched reports whether a deployment failed before anything was sent to a worker, so that what ran
// before runs on as it was.
func (d Deployment) Untouched() bool { return d.State == DeploymentFailed && d.Revision == 0 }
