package ui

import (
	"time"

	"berth/core/backups"
)

func sampleBackups() backupListPage {
	now := func() time.Time { return sampleNow }
	page := backupListPage{Rehearsal: rehearsalOf(backups.Rehearsal{Name: "berth-20261122T031700Z-schedule-d4e5f6.backup", At: before(9 * time.Hour), Took: 1234 * time.Millisecond}, now), Offsite: offsiteOf(backups.Standing{On: true, Copies: 12, Size: 1_234_567_890, Newest: before(31 * time.Hour), Problem: "the storage at https://s3.example.com refuses the access key.", Since: before(7 * time.Hour)}, now), Limit: sizeOf(4 << 30), Trouble: "The archive is larger than 4096 MB, which is all that is taken."}
	for _, b := range []backups.Backup{
		{Name: "berth-20261122T101500Z-manual-a1b2c3.backup", Size: 123_456_789, Here: true, Checked: true, Head: backups.Head{Version: "1.4.0", Schema: 17, MadeAt: before(time.Minute), Reason: backups.ByHand}},
		{Name: "berth-20261122T031700Z-schedule-d4e5f6.backup", Size: 9_876, Here: true, Checked: true, Away: true, Head: backups.Head{Version: "1.4.0", Schema: 17, MadeAt: before(7 * time.Hour), Reason: backups.BySchedule}},
		{Name: "berth-20261001T000000Z-uploaded-000000.backup", Size: 512, Here: true, Head: backups.Head{MadeAt: before(900 * time.Hour), Reason: backups.Uploaded},
			Problem: "The backup was made under another SECRET_KEY: the check value of this server's is a1b2c3, the backup's is d4e5f6."},
	} {
		page.Lines = append(page.Lines, lineOfBackup(b, func() time.Time { return sampleNow }))
	}
	return page
}
