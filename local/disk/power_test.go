package disk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core/coretest"
	"berth/core/store"
	"berth/hub/adapter/sqlite"
	"berth/hub/revisionfiles"
	"berth/hub/worker/journal"
)

const (
	diskSize = 48 << 20
	cuts     = 4                // in each run
	patience = 90 * time.Second // for whatever must come
)

// writer is a process that writes to a disk.
type writer struct {
	t      *testing.T
	cmd    *exec.Cmd
	acks   chan int
	acked  int
	errors *strings.Builder
}

// startWriter runs a writer of this kind in dir, below what wraps it.
func startWriter(t *testing.T, kind, dir string, wrap ...string) *writer {
	t.Helper()
	args := append(append([]string{}, wrap...), os.Args[0])
	w := &writer{t: t, cmd: exec.Command(args[0], args[1:]...), acks: make(chan int, 1<<20), errors: &strings.Builder{}}
	w.cmd.Env = append(os.Environ(), writerKind+"="+kind, writerDir+"="+dir)
	w.cmd.Stderr = w.errors
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	out, err := w.cmd.StdoutPipe()
	if err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go w.listen(out)
	t.Cleanup(func() {
		syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL) // with what it wraps
		w.cmd.Wait()
	})
	return w
}

func (w *writer) listen(out io.Reader) {
	defer close(w.acks)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			return
		}
		w.acks <- n
	}
}

// more waits for so many further acknowledgements.
func (w *writer) more(n int) {
	w.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for range n {
		select {
		case got, open := <-w.acks:
			if !open {
				w.t.Fatalf("the writer ended after %d:\n%s", w.acked, w.errors)
			}
			w.acked = got
		case <-limit.C:
			w.t.Fatalf("no acknowledgement after %d", w.acked)
		}
	}
}

// stop halts the writer between two system calls. What was heard by then is counted as acknowledged;
// it may have said more.
func (w *writer) stop() {
	w.t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		w.t.Fatal(err)
	}
	for end := time.Now().Add(patience); !w.halted(); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatal("the writer does not stop")
		}
	}
	for {
		select {
		case n, open := <-w.acks:
			if !open {
				w.t.Fatalf("the writer ended after %d:\n%s", w.acked, w.errors)
			}
			w.acked = n
		default:
			return
		}
	}
}

// halted reports whether no thread of the writer is in a system call any more.
func (w *writer) halted() bool {
	stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", w.cmd.Process.Pid))
	if err != nil || len(stats) == 0 {
		return false
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		fields := string(stat[strings.LastIndexByte(string(stat), ')')+2:])
		if !strings.HasPrefix(fields, "T") {
			return false
		}
	}
	return true
}

func (w *writer) goOn() {
	w.t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		w.t.Fatal(err)
	}
}

// cutOften lets a writer write and cuts the power some times; check looks at what is there afterwards.
func cutOften(t *testing.T, kind string, check func(t *testing.T, dir string, acked int)) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	disk := coretest.NewDisk(t, diskSize)
	w := startWriter(t, kind, disk.Dir)
	for cut := range cuts {
		w.more(1 + random.IntN(60))
		w.stop()
		t.Run(fmt.Sprint("cut ", cut+1), func(t *testing.T) { check(t, disk.Cut(t).Dir, w.acked) })
		w.goOn()
	}
}

func TestC11PowerCutBelowTheStore(t *testing.T) {
	t.Parallel()
	cutOften(t, "store", func(t *testing.T, dir string, acked int) {
		if there := rowsIn(t, dir); there < acked {
			t.Errorf("%d rows are there, %d were acknowledged", there, acked)
		}
	})
}

// Without the wait for the disk at each commit the same cuts lose rows: the rig can see that.
func TestC11TheRigSeesALoss(t *testing.T) {
	t.Parallel()
	lost := 0
	disk := coretest.NewDisk(t, diskSize)
	w := startWriter(t, "careless store", disk.Dir)
	w.more(50)
	w.stop()
	if there := rowsIn(t, disk.Cut(t).Dir); there < w.acked {
		lost = w.acked - there
	}
	if lost == 0 {
		t.Errorf("nothing of %d rows was lost, although nobody waited for the disk", w.acked)
	}
}

// rowsIn opens what is left after a cut, as the next start does, and counts the rows from the first on.
func rowsIn(t *testing.T, dir string) (rows int) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Read(t.Context(), func(tx *store.Tx) error {
		sound, err := store.Texts(tx, `PRAGMA integrity_check`)
		if err != nil || len(sound) != 1 || sound[0] != "ok" {
			return errors.Join(err, fmt.Errorf("integrity_check says %q", sound))
		}
		names, err := store.Texts(tx, `SELECT name FROM settings ORDER BY CAST(name AS INTEGER)`)
		for i, name := range names {
			if name != fmt.Sprint(i+1) {
				return fmt.Errorf("row %d is missing", i+1)
			}
		}
		rows = len(names)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestC12PowerCutBelowTheJournal(t *testing.T) {
	t.Parallel()
	cutOften(t, "journal", func(t *testing.T, dir string, acked int) {
		j, _, err := journal.Open(filepath.Join(dir, "journal"))
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		for n := 1; n <= acked; n++ {
			e, found := j.Get(entry(n).Key)
			if !found || n%2 == 0 && e.Result == nil {
				t.Fatalf("entry %d of %d is %+v", n, acked, e)
			}
		}
	})
}

func TestC11PowerCutBelowTheFilesOfRevisions(t *testing.T) {
	t.Parallel()
	cutOften(t, "files", func(t *testing.T, dir string, acked int) {
		files, err := revisionfiles.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= acked; n++ {
			compose, err := files.Compose(fileStack, n)
			if err != nil || string(compose) != string(contentOf(n)) {
				t.Fatalf("revision %d of %d: %q, %v", n, acked, compose, err)
			}
			blob, err := files.OpenBlob(digestOf(n))
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(blob)
			if err := errors.Join(err, blob.Close()); err != nil || string(content) != string(contentOf(n)) {
				t.Fatalf("content %d of %d: %q, %v", n, acked, content, err)
			}
		}
	})
}
