package sqlite

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"berth/core/fault"
)

// MovedFile is beside a database that was copied elsewhere: who opens it by mistake would go on with an old
// state, and nobody would notice. Whoever wants that state back removes the file.
const MovedFile = "berth.moved"

// moved is what the file holds.
type moved struct {
	At time.Time `json:"moved_at"`
	To string    `json:"to"` // for people; without user and password
}

// MarkMoved notes that what is below dir was copied, and where to. The database itself stays as it is.
func MarkMoved(dir, to string, at time.Time) error {
	text, err := json.Marshal(moved{at.UTC().Truncate(time.Second), to})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, MovedFile), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close(), syncDir(dir))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Unmoved refuses a database that was copied elsewhere: Conflict "store.moved". What the file holds is told
// where it can be read; that it is there decides.
func Unmoved(dir string) error {
	path := filepath.Join(dir, MovedFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	was := moved{To: "a PostgreSQL database"}
	when := ""
	if err == nil && json.Unmarshal(text, &was) == nil && !was.At.IsZero() {
		when = " on " + was.At.UTC().Format("2006-01-02 at 15:04:05 UTC")
	}
	return fault.New(fault.Conflict, "store.moved",
		"The database in %s was copied to %s%s, so it is not used any more. Set DATABASE_URL to that database to go on there. To go back to the state of that time, without anything that was done since, remove %s and start again. Nothing was changed.",
		dir, was.To, when, path)
}
