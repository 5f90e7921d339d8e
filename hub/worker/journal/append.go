package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// append puts a record on the disk and, only then, into the ledger. A result may use
// the reserve.
func (j *Journal) append(r record, reserve bool) error {
	data, err := r.encode()
	if err != nil {
		return err
	}
	err = j.put(data)
	if err != nil && reserve && giveReserve(j.reservePath(), err) {
		err = j.put(data)
	}
	if err != nil {
		return err
	}
	j.ledger.apply(r)
	if j.size > max(compactAt, 2*j.base) {
		// What was just written is safe either way; a failure leaves j.file nil
		// and is met again, and reported, by the next append.
		j.rewrite()
	}
	return nil
}

// put writes and syncs. A file that is in doubt is written anew first.
func (j *Journal) put(data []byte) error {
	if j.file == nil {
		if err := j.rewrite(); err != nil {
			return fmt.Errorf("write the journal anew: %w", err)
		}
	}
	return j.write(data, true)
}

// write appends to the file. After a failure the file is in doubt: half a record may
// stand in it, and a second fsync would not say so. Only where a write found the disk full, what
// stood there before is sound: half a record is cut off, and no room for a second file is needed.
func (j *Journal) write(data []byte, sync bool) error {
	_, err := j.file.Write(data)
	full := diskFull(err)
	if err == nil && sync {
		err = j.file.Sync()
	}
	if err == nil {
		j.size += int64(len(data))
		return nil
	}
	err = errors.Join(err, j.file.Close())
	j.file = nil
	if full {
		if again, failed := j.disk.appendTo(j.path, j.size); failed == nil {
			j.file = again
		}
	}
	return fmt.Errorf("append to the journal: %w", err)
}

// rewrite puts the living entries into a fresh file, makes it durable and moves it over
// the old one. A crash at any point leaves the old journal or the new one.
func (j *Journal) rewrite() error {
	if j.file != nil {
		j.file.Close()
		j.file = nil
	}
	content, err := j.content()
	if err != nil {
		return err
	}
	fresh := j.path + ".new"
	if err := j.createFile(fresh, content); err != nil {
		os.Remove(fresh) // gives back what it took of a full disk
		return err
	}
	if err := j.disk.rename(fresh, j.path); err != nil {
		return err
	}
	size := int64(len(content))
	if j.file, err = j.disk.appendTo(j.path, size); err != nil {
		j.file = nil
		return err
	}
	j.size, j.base = size, size
	return nil
}

func (j *Journal) content() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(magic)
	for _, r := range j.ledger.records() {
		data, err := r.encode()
		if err != nil {
			return nil, err
		}
		out.Write(data)
	}
	return out.Bytes(), nil
}

func (j *Journal) createFile(path string, content []byte) error {
	f, err := j.disk.create(path)
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

func (j *Journal) reservePath() string { return j.path + ".reserve" }
