package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// batch is one `git cat-file --batch`: asked for an object by its hash, it gives kind,
// size and bytes. The process starts with the first question and again after it was
// stopped. One goroutine at a time.
type batch struct {
	git program
	dir string

	cmd    *exec.Cmd // nil: no process runs
	stop   context.CancelFunc
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *tail
}

// errMissing is an object that the repository should have and has not, or cannot read.
var errMissing = errors.New("missing or damaged object")

// errBig is an object over the size that was asked for.
var errBig = errors.New("object is over the limit")

type object struct {
	kind string // commit, tree, blob or tag
	size int64  // also known when the error is errBig
	body []byte
}

// get returns the object with this full hash if it has at most limit bytes. When ctx
// ends first, the process is stopped.
func (b *batch) get(ctx context.Context, hash string, limit int64) (object, error) {
	if err := ctx.Err(); err != nil {
		return object{}, err
	}
	if err := b.start(); err != nil {
		return object{}, err
	}
	watch := context.AfterFunc(ctx, b.stop)
	found, err := b.exchange(hash, limit)
	if !watch() { // it was stopped in the middle
		b.end()
		return object{}, ctx.Err()
	}
	if err != nil && !errors.Is(err, errAbsent) {
		said := b.stderr
		b.end()
		if !errors.Is(err, errBig) {
			err = fmt.Errorf("%w %s: %w: %s", errMissing, hash, err, said)
		}
	}
	return found, err
}

// errAbsent is git's plain statement that there is no such object.
var errAbsent = fmt.Errorf("%w: not in the repository", errMissing)

func (b *batch) exchange(hash string, limit int64) (object, error) {
	if _, err := io.WriteString(b.in, hash+"\n"); err != nil {
		return object{}, err
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return object{}, err
	}
	fields := strings.Fields(head)
	if len(fields) == 2 && fields[1] == "missing" {
		return object{}, errAbsent
	}
	if len(fields) != 3 || fields[0] != hash {
		return object{}, fmt.Errorf("unexpected answer %.100q", head)
	}
	found := object{kind: fields[1]}
	if found.size, err = strconv.ParseInt(fields[2], 10, 64); err != nil {
		return object{}, err
	}
	if found.size > limit {
		return found, errBig
	}
	body := make([]byte, found.size+1) // and a newline
	if _, err := io.ReadFull(b.out, body); err != nil {
		return object{}, err
	}
	found.body = body[:found.size:found.size]
	return found, nil
}

func (b *batch) start() error {
	if b.cmd != nil {
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := b.git.command(ctx, b.dir, nil, "cat-file", "--batch")
	said := &tail{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		stop()
		return err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stop()
		return fmt.Errorf("start git cat-file: %w", err)
	}
	b.cmd, b.stop, b.in, b.out, b.stderr = cmd, stop, in, bufio.NewReaderSize(out, 32<<10), said
	return nil
}

// end stops the process and waits for it.
func (b *batch) end() {
	if b.cmd == nil {
		return
	}
	b.stop()
	_ = b.in.Close()
	_ = b.cmd.Wait() // it was killed, which is no news
	b.cmd = nil
}
