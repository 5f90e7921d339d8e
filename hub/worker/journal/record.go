package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"berth/core"
	"berth/core/wire"
)

// MaxRecord is the largest payload of a record, in bytes.
const MaxRecord = 512 << 10

const (
	magic      = "BERTHWJ1"
	headerSize = 8
)

// The kinds of records.
const (
	kindReceived = "received"
	kindStarted  = "started"
	kindLaunched = "launched"
	kindEnding   = "ending"
	kindResult   = "result"
	kindPruned   = "pruned"
)

// record is the payload. It mirrors Entry and has no place for a secret.
type record struct {
	Kind     string           `json:"kind"`
	ID       core.CommandID   `json:"id"`
	Attempt  int              `json:"attempt"`
	Command  wire.CommandKind `json:"command,omitempty"`
	Stack    core.StackID     `json:"stack,omitempty"`
	Project  string           `json:"project,omitempty"`
	Revision int              `json:"revision,omitempty"`
	Digest   string           `json:"digest,omitempty"`
	Starts   int              `json:"starts,omitempty"`
	Run      *Run             `json:"run,omitempty"`
	Launched bool             `json:"launched,omitempty"`
	Ending   Ending           `json:"ending,omitempty"`
	Result   *wire.Result     `json:"result,omitempty"`
}

var errTooLarge = errors.New("record is larger than a journal record may be")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode returns the record as it stands in the file.
func (r record) encode() ([]byte, error) {
	payload, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode journal record: %w", err)
	}
	if len(payload) > MaxRecord {
		return nil, fmt.Errorf("encode journal record of %d bytes: %w", len(payload), errTooLarge)
	}
	out := make([]byte, headerSize, headerSize+len(payload))
	binary.BigEndian.PutUint32(out, uint32(len(payload)))
	binary.BigEndian.PutUint32(out[4:], checksum(out[:4], payload))
	return append(out, payload...), nil
}

// checksum covers the length too, so that a run of zeros is no valid record.
func checksum(length, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(length, castagnoli), castagnoli, payload)
}

// scan hands each whole record in data to fn, in order, and returns how many bytes were
// good. It stops at the first byte that is not. torn says that the rest can be one
// record that was being written when the power went; otherwise the file was damaged.
func scan(data []byte, fn func(record)) (good int64, torn bool) {
	if !bytes.HasPrefix(data, []byte(magic)) {
		return 0, len(data) < len(magic) || allZero(data)
	}
	at := len(magic)
	for at < len(data) {
		rec, size, ok := next(data[at:])
		if !ok {
			return int64(at), !recordFollows(data[at:])
		}
		at += size
		fn(rec)
	}
	return int64(at), true
}

// recordFollows reports whether a whole record stands anywhere after the bad one at the
// beginning of data: then this is not where writing stopped.
func recordFollows(data []byte) bool {
	for at := 1; at+headerSize < len(data); at++ {
		if _, _, ok := next(data[at:]); ok {
			return true
		}
	}
	return false
}

// next reads the record at the beginning of data.
func next(data []byte) (rec record, size int, ok bool) {
	if len(data) < headerSize {
		return rec, 0, false
	}
	length := binary.BigEndian.Uint32(data)
	if length == 0 || length > MaxRecord {
		return rec, 0, false
	}
	size = headerSize + int(length)
	if size > len(data) {
		return rec, 0, false
	}
	payload := data[headerSize:size]
	if checksum(data[:4], payload) != binary.BigEndian.Uint32(data[4:]) {
		return rec, 0, false
	}
	return rec, size, json.Unmarshal(payload, &rec) == nil
}

// allZero tells a tail whose blocks were allocated and never written.
func allZero(data []byte) bool { return len(bytes.Trim(data, "\x00")) == 0 }
