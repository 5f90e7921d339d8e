package backups

import (
	"encoding/hex"
	"regexp"
	"time"

	"berth/core/fault"
)

// Reason says why a backup was made.
type Reason string

// The reasons.
const (
	ByHand        Reason = "manual"         // a person or API key asked for it
	BySchedule    Reason = "schedule"       // BACKUP_INTERVAL was over
	BeforeRestore Reason = "before-restore" // what there was is kept, whatever comes of a restore
	BeforeUpgrade Reason = "before-upgrade" // a newer release was about to change the schema
	Uploaded      Reason = "uploaded"       // it was made by another installation, or moved away and back
)

// nameShape is how archives are called: when they were made, why, and six random characters.
var nameShape = regexp.MustCompile(`^berth-(\d{8}T\d{6}Z)-(manual|schedule|before-restore|before-upgrade|uploaded)-[0-9a-f]{6}\.backup$`)

const nameTime = "20060102T150405Z"

// Name is what the archive of a backup is called; salt is three random bytes.
func Name(at time.Time, why Reason, salt [3]byte) string {
	return "berth-" + at.UTC().Format(nameTime) + "-" + string(why) + "-" + hex.EncodeToString(salt[:]) + ".backup"
}

// ParseName reads what Name has made. NotFound "backup.not_found" for anything else: there is no backup of
// such a name.
func ParseName(name string) (at time.Time, why Reason, err error) {
	parts := nameShape.FindStringSubmatch(name)
	if parts == nil {
		return at, why, NotFound()
	}
	at, err = time.Parse(nameTime, parts[1])
	if err != nil {
		return at, why, NotFound()
	}
	return at, Reason(parts[2]), nil
}

// NotFound is the fault for a backup that is not there.
func NotFound() *fault.Error {
	return fault.New(fault.NotFound, "backup.not_found", "There is no such backup. The list of backups says which there are.")
}
