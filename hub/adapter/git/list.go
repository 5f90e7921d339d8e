package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

// List implements core.Tree.
func (t *tree) List(ctx context.Context, dir string) ([]core.TreeEntry, error) {
	if err := repositories.ValidPath(dir); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	found, err := t.find(ctx, dir)
	switch {
	case errors.Is(err, errNoPath), err == nil && found.kind != isFolder:
		return nil, fault.New(fault.NotFound, "git.path_missing", "There is no folder %q in commit %s.", dir, t.commit.Short())
	case err != nil:
		return nil, err
	}
	prefix := ""
	if dir != "" && dir != "." {
		prefix = dir + "/"
	}
	var entries []core.TreeEntry
	err = t.mirror.remote.git.records(ctx, t.mirror.dir, func(line string) error {
		if len(entries) == maxEntries {
			return fault.New(fault.TooLarge, "git.too_large", "The folder %q has more than 100,000 files in commit %s; split it up.", dir, t.commit.Short())
		}
		e, err := parseEntry(line)
		e.Path = prefix + e.Path
		entries = append(entries, e)
		return err
	}, "ls-tree", "-r", "-z", "-l", "--full-tree", found.hash)
	if err != nil {
		return nil, t.trouble(ctx, err)
	}
	return entries, nil
}

// parseEntry reads "<mode> <kind> <hash> <size>\t<path>".
func parseEntry(line string) (core.TreeEntry, error) {
	head, path, _ := strings.Cut(line, "\t")
	fields := strings.Fields(head)
	if len(fields) != 4 || path == "" {
		return core.TreeEntry{}, fmt.Errorf("git ls-tree wrote %.200q", line)
	}
	e := core.TreeEntry{Path: path, Hash: fields[2], Mode: entryOf(fields[0]).mode}
	if e.Mode == core.ModeSubmodule {
		return e, nil
	}
	var err error
	e.Size, err = strconv.ParseInt(fields[3], 10, 64)
	return e, err
}

// maxRecord bounds one record, which is a path or a commit's first paragraph and little else.
const maxRecord = 1 << 20

// records runs git and hands over what it writes, one NUL-terminated record at a time.
// An error from each stops it.
func (p program) records(ctx context.Context, dir string, each func(record string) error, args ...string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := p.command(ctx, dir, nil, args...)
	var said tail
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("start git %s: %w", args[0], err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 0, 4096), maxRecord)
	lines.Split(untilNUL)
	for err == nil && lines.Scan() {
		err = each(lines.Text())
	}
	if err == nil {
		err = lines.Err()
	}
	if err != nil {
		stop()
	}
	ended := cmd.Wait()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return fault.New(fault.TooLarge, "git.too_large", "The repository has a path or commit message of more than %s.", size(maxRecord))
	case err == nil && ended != nil:
		return fmt.Errorf("%w: git %s: %w: %s", errMissing, args[0], ended, said.String())
	}
	return err
}

func untilNUL(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
