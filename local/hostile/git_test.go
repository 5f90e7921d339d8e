package hostile_test

import "testing"

// What a Git host may do is proven beside the adapter, with hosts that lie, hang, redirect and never end.
const gitAdapter = "./hub/adapter/git"

// TestG1: a history that was forced, and TestG2: what is gone or empty.
func TestG1(t *testing.T) { elsewhere(t, gitAdapter, "^TestContract$", 1) }
func TestG2(t *testing.T) { elsewhere(t, gitAdapter, "^TestContract$", 1) }

// TestG3: a host that hangs after its refs.
func TestG3(t *testing.T) { elsewhere(t, gitAdapter, "^TestG3", 4) }

// TestG4: a pack without end.
func TestG4(t *testing.T) { elsewhere(t, gitAdapter, "^TestG4", 2) }

// TestG5: a mirror that is damaged.
func TestG5(t *testing.T) { elsewhere(t, gitAdapter, "^TestG5", 3) }

// TestG7: a hundred pushes, and TestG8: one during a deployment.
func TestG7(t *testing.T) { elsewhere(t, "./hub", "^TestG7", 1) }
func TestG8(t *testing.T) { elsewhere(t, "./hub", "^TestG8", 1) }

// TestG9: a redirect that would carry the credential elsewhere.
func TestG9(t *testing.T) { elsewhere(t, gitAdapter, "^TestG9", 2) }

// TestG10: an SSH host that shows another key, or one that nobody accepted.
func TestG10(t *testing.T) {
	elsewhere(t, gitAdapter, "^(TestHostKeyThatChanges|TestHostWithMoreKeysThanWereAccepted|TestSSHHostThatIsNotKnownOrMayNotBeReached)$", 3)
}

// TestG12: a credential that is revoked in between.
func TestG12(t *testing.T) { elsewhere(t, gitAdapter, "^TestG12", 2) }

// TestR10: a secrets file that was tampered with gives no value, and no part of one.
func TestR10(t *testing.T) {
	elsewhere(t, "./hub/adapter/sops", "^(TestDecryptRefuses|TestTheEnvironmentDoesNotMatter)$", 2)
}

// TestR14: an image or a command that are options.
func TestR14(t *testing.T) {
	elsewhere(t, "./core/jobs", "^(TestOnlyNamesOfImagesPass|TestACommandIsSplitIntoWords|TestNoRunGetsTheHost|TestTheWorkerRefusesWhatNoReadingLetsPass)$", 4)
	elsewhere(t, "./hub/adapter/compose/engine", "^TestWhyARunCannotBegin$", 1)
	refuses(t, map[string]hostile{
		"an option as image": {compose: "services: {web: {image: '--privileged'}}", code: "compose.invalid", says: "image"},
	})
}
