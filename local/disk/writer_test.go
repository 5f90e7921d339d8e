package disk

import (
	"bufio"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"berth/core"
	"berth/core/config"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/store"
	"berth/core/wire"
	"berth/hub/adapter/sqlite"
	"berth/hub/revisionfiles"
	"berth/hub/worker/journal"
)

// writerKind tells the test binary that it is a writer, and of what; writerDir where.
const (
	writerKind = "BERTH_TEST_WRITER"
	writerDir  = "BERTH_TEST_WRITER_DIR"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// writers write item after item and acknowledge each with its number on standard output.
var writers = map[string]func(ctx context.Context, dir string, acknowledge func(n int) error) error{
	"store": writeStore, "careless store": writeCarelessly, "journal": writeJournal, "files": writeFiles,
	"applied": writeApplied, "content": writeContent,
}

func TestMain(m *testing.M) {
	write := writers[os.Getenv(writerKind)]
	if write == nil {
		runTests(m)
	}
	out := bufio.NewWriterSize(os.Stdout, 1)
	err := write(context.Background(), os.Getenv(writerDir), func(n int) error {
		fmt.Fprintln(out, n)
		return out.Flush()
	})
	fmt.Fprintln(os.Stderr, fault.CodeOf(err), err)
	os.Exit(1)
}

// runTests lets more tests run at the same time than there are processors, unless -parallel says
// otherwise: what they do most is wait for disks.
func runTests(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", "5"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func openStore(ctx context.Context, dir string) (*store.DB, error) {
	db, err := sqlite.Open(ctx, dir, func(err error) {
		fmt.Fprintln(os.Stderr, "broken:", err)
		os.Exit(config.ExitBroken)
	})
	if err != nil {
		return nil, err
	}
	return db, db.Migrate(ctx, epoch)
}

func writeStore(ctx context.Context, dir string, acknowledge func(int) error) error {
	db, err := openStore(ctx, dir)
	for n := 1; err == nil; n++ {
		err = db.Write(ctx, func(tx *store.Tx) error {
			_, err := store.Exec(tx, `INSERT INTO settings (name, value) VALUES (?, hex(randomblob(200)))`, fmt.Sprint(n))
			return err
		})
		if err == nil {
			err = acknowledge(n)
		}
	}
	return err
}

// writeCarelessly commits without waiting for the disk: what the rig must be able to catch.
func writeCarelessly(ctx context.Context, dir string, acknowledge func(int) error) error {
	db, err := openStore(ctx, dir)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, sqlite.File)+"?_pragma=synchronous(NORMAL)")
	for n := 1; err == nil; n++ {
		if _, err = pool.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES (?, '')`, fmt.Sprint(n)); err == nil {
			err = acknowledge(n)
		}
	}
	return err
}

// entry is the nth command of the journal.
func entry(n int) journal.Entry {
	return journal.Entry{Key: journal.Key{ID: core.CommandID(fmt.Sprintf("cmd_%026d", n)), Attempt: 1}, Kind: stacks.CommandDeploy,
		Stack: "stk_00000000000000000000000001", Project: "web", Revision: 1, Digest: digestOf(n)}
}

func writeJournal(_ context.Context, dir string, acknowledge func(int) error) error {
	j, _, err := journal.Open(filepath.Join(dir, "journal"))
	for n := 1; err == nil; n++ {
		if err = j.Received(entry(n)); err == nil && n%2 == 0 {
			err = j.Ended(wire.Result{ID: entry(n).ID, Attempt: 1, Status: wire.ResultSucceeded})
		}
		if err == nil {
			err = acknowledge(n)
		}
	}
	return err
}

const fileStack = core.StackID("stk_01jz8x0000000000000000000a")

func contentOf(n int) []byte { return fmt.Appendf(nil, "content %d", n) }

func digestOf(n int) string {
	sum := sha256.Sum256(contentOf(n))
	return hex.EncodeToString(sum[:])
}

func writeFiles(_ context.Context, dir string, acknowledge func(int) error) error {
	files, err := revisionfiles.Open(dir)
	for n := 1; err == nil; n++ {
		err = errors.Join(files.PutBlob(context.Background(), digestOf(n), contentOf(n)), files.PutCompose(context.Background(), fileStack, n, contentOf(n)))
		if err == nil {
			err = acknowledge(n)
		}
	}
	return err
}
