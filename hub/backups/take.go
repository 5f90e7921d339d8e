package backups

import (
	"context"
	"io"
	"os"

	"berth/core/backups"
	"berth/core/fault"
)

// Take stores an archive that somebody brings, of at most limit bytes, once it was read whole and found good. Faults: Invalid
// "backup.damaged"; Conflict "backup.other_key", "backup.newer"; "backup.busy" when others come in; TooLarge "backup.too_large";
// Malformed "request.broken_off"; Unavailable "backup.disk_full", "backup.storage".
func (s *Shelf) Take(ctx context.Context, from io.Reader, limit int64) (b backups.Backup, err error) {
	leave, err := s.slot()
	if err != nil {
		return b, err
	}
	defer leave()
	b, err = s.place(named(backups.Uploaded), func(part *os.File) (backups.Head, error) {
		n, err := io.Copy(part, io.LimitReader(brought{from}, limit+1))
		switch {
		case n > limit:
			return backups.Head{}, backups.TooLarge(limit)
		case err != nil && fault.CodeOf(err) == "request.broken_off":
			return backups.Head{}, err
		case err != nil:
			return backups.Head{}, s.storage(err)
		}
		return s.judge(part)
	})
	if err == nil {
		s.o.Log.Info("a backup was uploaded and read", "name", b.Name, "bytes", b.Size)
		s.tell()
	}
	return b, err
}

// slot waits for nobody: Conflict "backup.busy" when maxTakes archives come in already.
func (s *Shelf) slot() (leave func(), err error) {
	select {
	case s.takes <- struct{}{}:
		return func() { <-s.takes }, nil
	default:
		return nil, fault.New(fault.Conflict, "backup.busy", "%d other archives are being uploaded or fetched. Try again when one of them is there.", maxTakes)
	}
}

// judge refuses early what could not be restored.
func (s *Shelf) judge(part *os.File) (backups.Head, error) {
	if _, err := part.Seek(0, io.SeekStart); err != nil {
		return backups.Head{}, s.storage(err)
	}
	head, err := s.o.Archive.Head(part)
	if err != nil {
		return head, err
	}
	return head, head.Check(s.o.Schema)
}

// brought tells what breaks off there from what goes wrong here.
type brought struct{ from io.Reader }

// Read implements io.Reader.
func (b brought) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if err != nil && err != io.EOF {
		err = fault.New(fault.Malformed, "request.broken_off", "The upload broke off before its end. Nothing was kept of it; upload the archive again.").Because(err)
	}
	return n, err
}
