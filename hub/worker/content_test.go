package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"berth/core"
	"berth/core/fault"
	"berth/core/wire"
)

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// mounts makes a content of path, text pairs.
func mounts(name string, pairs ...string) core.Content {
	c := core.Content{Digest: digest("content " + name), Source: name}
	for i := 0; i < len(pairs); i += 2 {
		c.Files = append(c.Files, core.ContentFile{Path: pairs[i], Digest: digest(pairs[i+1]), Size: int64(len(pairs[i+1]))})
	}
	return c
}

func with(contents ...core.Content) func(*wire.Deploy) {
	return func(d *wire.Deploy) { d.Content = contents }
}

// serve answers n wishes with these texts, in chunks of two bytes, and returns for which
// commands they were.
func (h *hubEnd) serve(n int, texts ...string) (ids []core.CommandID) {
	h.t.Helper()
	for range n {
		want := await(h, "BlobWant", any1[wire.BlobWant])
		ids = append(ids, want.ID)
		at := slices.IndexFunc(texts, func(text string) bool { return digest(text) == want.Digest })
		if at < 0 {
			h.t.Fatalf("the worker wants %s", want.Digest)
		}
		text := texts[at]
		for offset := 0; ; offset += 2 {
			end := min(offset+2, len(text))
			h.send(wire.BlobChunk{Digest: want.Digest, Offset: int64(offset), Data: []byte(text[offset:end]), Last: end == len(text)})
			if end == len(text) {
				break
			}
		}
	}
	return ids
}

func (s *setup) contents() []string {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, "data", "content"))
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (s *setup) checkContents(want ...core.Content) {
	s.t.Helper()
	var digests []string
	for _, c := range want {
		digests = append(digests, c.Digest)
	}
	slices.Sort(digests)
	if got := s.contents(); !slices.Equal(got, digests) {
		s.t.Errorf("the disk has %v, want %v", got, digests)
	}
}

func TestContentIsThereBeforeTheEngineIsAsked(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		c := mounts("conf", "a.conf", "hello world", "sub/b.conf", "other", "empty", "")
		s.engine.on("pull", func(_ context.Context, p Project, _ func(string)) error {
			for name, want := range map[string]string{"a.conf": "hello world", "sub/b.conf": "other", "empty": ""} {
				if got, err := os.ReadFile(p.ContentDir + c.Digest + "/" + name); err != nil || string(got) != want {
					t.Errorf("%s holds %q, %v", name, got, err)
				}
			}
			return nil
		})
		cmd := deployOf(h, newStack(), 1, with(c))
		h.send(cmd)
		for _, id := range h.serve(3, "hello world", "other", "") {
			if id != cmd.ID {
				t.Errorf("asked for command %s", id)
			}
		}
		if r := h.result(cmd.ID); r.Status != wire.ResultSucceeded {
			t.Errorf("result %+v", r)
		}
		changed := mounts("conf 2", "a.conf", "hello world", "sub/b.conf", "changed", "empty", "")
		next := deployOf(h, cmd.Deploy.Stack, 2, with(changed))
		s.engine.on("pull", nil)
		h.send(next)
		h.serve(1, "changed") // the others are here
		h.result(next.ID)
	})
}

func TestContentThatIsNotAsAnnounced(t *testing.T) {
	want := core.ContentFile{Path: "f", Digest: digest("right"), Size: 5}
	cases := map[string]struct {
		answer wire.BlobChunk
		code   string
	}{
		"other bytes":         {wire.BlobChunk{Data: []byte("wrong"), Last: true}, "content.damaged"},
		"too few":             {wire.BlobChunk{Data: []byte("ri"), Last: true}, "content.damaged"},
		"too many":            {wire.BlobChunk{Data: []byte("right and more")}, "content.damaged"},
		"not at its place":    {wire.BlobChunk{Offset: 2, Data: []byte("ght"), Last: true}, "content.damaged"},
		"the hub has it not":  {wire.BlobChunk{Error: "it is gone", Last: true}, "content.unavailable"},
		"the hub gives it up": {wire.BlobChunk{Error: "disk"}, "content.unavailable"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().greeted()
				cmd := deployOf(h, newStack(), 1, with(core.Content{Digest: digest("c"), Source: "c", Files: []core.ContentFile{want}}))
				h.send(cmd)
				await(h, "BlobWant", any1[wire.BlobWant])
				c.answer.Digest = want.Digest
				h.send(c.answer)
				r := h.result(cmd.ID)
				if r.Status != wire.ResultFailed || r.Code != c.code {
					t.Errorf("result %+v", r)
				}
				checkPhases(t, r.Phases, "pull failed", "apply skipped", "verify skipped")
				s.checkContents()
				if n := len(s.engine.called("pull")) + len(s.engine.called("apply")); n != 0 {
					t.Error("the engine was asked to pull or apply")
				}
			})
		})
	}
}

func TestContentGoesOnOverTheNextLink(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		cmd := deployOf(h, newStack(), 1, with(mounts("c", "one", "first", "two", "second")))
		h.send(cmd)
		wants := []wire.BlobWant{await(h, "BlobWant", any1[wire.BlobWant]), await(h, "BlobWant", any1[wire.BlobWant])}
		for _, w := range wants { // half of each
			h.send(wire.BlobChunk{Digest: w.Digest, Data: []byte(map[string]string{digest("first"): "fir", digest("second"): "sec"}[w.Digest])})
		}
		synctest.Wait()
		h.end.Cut()
		again := s.greeted()
		again.serve(2, "first", "second")
		if r := again.result(cmd.ID); r.Status != wire.ResultSucceeded {
			t.Errorf("result %+v", r)
		}
	})
}

func TestCommandsShareADownload(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		c := mounts("c", "f", "shared")
		first, second := deployOf(h, newStack(), 1, with(c)), deployOf(h, newStack(), 1, with(c))
		h.send(first)
		h.send(second)
		h.accepted(second.ID)
		synctest.Wait()
		h.send(wire.Cancel{ID: first.ID, Attempt: 1}) // who asked first gives up
		if r := h.result(first.ID); r.Status != wire.ResultCancelled {
			t.Errorf("result %+v", r)
		}
		h.send(wire.BlobChunk{Digest: digest("shared"), Data: []byte("shared"), Last: true})
		if r := h.result(second.ID); r.Status != wire.ResultSucceeded {
			t.Errorf("result %+v", r)
		}
	})
}

func TestUnusedContentIsDeleted(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		stack := newStack()
		a, b, c, d := mounts("a", "f", "a"), mounts("b", "f", "b"), mounts("c", "f", "c"), mounts("d", "f", "d")
		put := func(revision int, c core.Content, text string) wire.Command {
			cmd := deployOf(h, stack, revision, with(c))
			h.send(cmd)
			h.serve(1, text)
			h.result(cmd.ID)
			return cmd
		}
		put(1, a, "a")
		put(2, b, "b")
		s.checkContents(a, b) // the current and the previous one
		put(3, c, "c")
		s.checkContents(b, c)

		other := deployOf(h, newStack(), 1, with(a))
		h.send(other)
		h.serve(1, "a")
		h.result(other.ID)
		s.checkContents(a, b, c)

		s.engine.on("verify", func(context.Context, Project, func(string)) error {
			return fault.New(fault.Conflict, "engine.unhealthy", "No.")
		})
		last := put(4, d, "d")
		s.checkContents(a, b, c, d) // nothing is deleted after a failure
		down := teardownOf(h, last.Deploy, false)
		h.send(down)
		h.result(down.ID)
		s.checkContents(a)
	})
}

func TestContentOnItsWayIsNotDeletedByOthers(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		slow := deployOf(h, newStack(), 1, with(mounts("c", "one", "first", "two", "second")))
		h.send(slow)
		wants := []wire.BlobWant{await(h, "BlobWant", any1[wire.BlobWant]), await(h, "BlobWant", any1[wire.BlobWant])}
		texts := map[string]string{digest("first"): "first", digest("second"): "second"}
		send := func(w wire.BlobWant) {
			h.send(wire.BlobChunk{Digest: w.Digest, Data: []byte(texts[w.Digest]), Last: true})
		}
		send(wants[0])
		quick := deployOf(h, newStack(), 1)
		h.send(quick)
		h.result(quick.ID) // deletes what is unused
		send(wants[1])
		if r := h.result(slow.ID); r.Status != wire.ResultSucceeded {
			t.Errorf("result %+v", r)
		}
	})
}

func TestContentOfWhatStillRunsIsKept(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		stack := newStack()
		a := mounts("a", "f", "a")
		first := deployOf(h, stack, 1, with(a))
		h.send(first)
		h.serve(1, "a")
		h.result(first.ID)
		orphan := s.engine.containers[first.Deploy.Project][0]
		orphan.Service, orphan.Container = "old", "old"
		s.engine.on("verify", func(_ context.Context, p Project, _ func(string)) error {
			s.engine.mu.Lock()
			defer s.engine.mu.Unlock()
			s.engine.containers[p.Name] = append(s.engine.containers[p.Name], orphan)
			return nil
		})
		for revision := 2; revision <= 4; revision++ {
			cmd := deployOf(h, stack, revision)
			h.send(cmd)
			h.result(cmd.ID)
		}
		s.checkContents(a) // a container of revision 1 may mount it
	})
}

func TestDownloadThatWasNeverAskedForIsTakenOver(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		synctest.Wait()
		first, giveUp := context.WithCancel(context.Background())
		d := newDownloads(s.worker.disk.content, func(ctx context.Context, msg any) error {
			if first.Err() == nil {
				<-ctx.Done() // the link has no room, until who asks gives up
				return ctx.Err()
			}
			return h.link.Send(ctx, wire.Cancel{ID: msg.(wire.BlobWant).ID, Attempt: 1})
		}, &s.worker.tally.blobBytes)
		want := s.worker.disk.content.Missing([]core.Content{mounts("c", "f", "text")})[0]
		cmd := core.CommandID(id("cmd"))
		given, told := make(chan error, 1), make(chan error, 1)
		go func() { given <- d.get(first, cmd, want) }()
		synctest.Wait()
		go func() { told <- d.get(context.Background(), cmd, want) }()
		synctest.Wait()
		giveUp()
		<-given
		if err := <-told; err != errNotAsked {
			t.Errorf("the second asker got %v; want to be told to ask itself", err)
		}
		d.end()
		if err := d.get(context.Background(), cmd, want); err != errLinkOver {
			t.Errorf("after the link: %v", err)
		}
	})
}

func TestDamagedContentIsBroughtHereAgain(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		c := mounts("conf", "a.conf", "hello", "b.conf", "world")
		first := deployOf(h, newStack(), 1, with(c))
		h.send(first)
		h.serve(2, "hello", "world")
		h.result(first.ID)
		name := filepath.Join(s.dir, "data", "content", c.Digest, "a.conf")
		if err := errors.Join(os.Chmod(name, 0o600), os.WriteFile(name, []byte("HELLO"), 0)); err != nil {
			t.Fatal(err)
		}
		again := deployOf(h, first.Deploy.Stack, 1, with(c))
		h.send(again)
		h.serve(1, "hello")
		events, result := collect(h, again)
		if result.Status != wire.ResultSucceeded {
			t.Errorf("result %+v", result)
		}
		if !slices.ContainsFunc(events, func(e wire.Event) bool { return strings.Contains(e.Log, "The files from conf were damaged") }) {
			t.Errorf("nobody is told: %+v", events)
		}
		if got := s.files()[name]; got != "hello" {
			t.Errorf("the file holds %q", got)
		}
	})
}
