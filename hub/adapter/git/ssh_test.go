package git

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"berth/core"
	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/ssh"
	"berth/local/stand/githost"
	"berth/local/stand/sshhost"
)

// sshBench is the repositories of a real Git host behind a real SSH server.
type sshBench struct {
	bench
	ssh  *sshhost.Host
	keys map[string]core.GitSource // by user and password: what one logs in with
}

// loopback lets hosts be where tests have them.
var loopback = ssh.Reach{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

func newSSHBench(t *testing.T, opts sshhost.Options) *sshBench {
	t.Helper()
	b := &sshBench{bench: bench{host: githost.New(t.TempDir())}, keys: map[string]core.GitSource{}}
	var err error
	if b.ssh, err = sshhost.Open(t.TempDir(), opts); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.ssh.Close() })
	b.authorize(t, b.key(t, "\x00").public)
	return b
}

type keyFile struct{ private, public string }

// key is the key of whoever has this user and password elsewhere.
func (b *sshBench) key(t *testing.T, who string) keyFile {
	t.Helper()
	if known, found := b.keys[who]; found {
		return keyFile{known.Key.Reveal(), known.Username}
	}
	return b.addKey(t, who, "ed25519")
}

func (b *sshBench) addKey(t *testing.T, who, kind string) keyFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := sshhost.MakeKey(path, kind, ""); err != nil {
		t.Fatal(err)
	}
	k := keyFile{read(t, path), read(t, path+".pub")}
	b.keys[who] = core.GitSource{Key: secrets.NewValue(k.private), Username: k.public}
	return k
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func (b *sshBench) authorize(t *testing.T, public ...string) {
	t.Helper()
	if err := b.ssh.Authorize(public...); err != nil {
		t.Fatal(err)
	}
}

func (b *sshBench) Create(t *testing.T) string {
	t.Helper()
	dir := b.create(t)
	return b.ssh.URL(b.host.Dir(dir))
}

func (b *sshBench) Protect(t *testing.T, _, user, password string) {
	t.Helper()
	b.authorize(t, b.key(t, user+"\x00"+password).public)
}

// Login implements coretest.GitLogins.
func (b *sshBench) Login(t *testing.T, src core.GitSource, user, password string) core.GitSource {
	t.Helper()
	src.Key = secrets.NewValue(b.key(t, user+"\x00"+password).private)
	var err error
	if src.HostKeys, err = b.ssh.HostKeys(); err != nil {
		t.Fatal(err)
	}
	return src
}

func TestContractOverSSH(t *testing.T) {
	for name, opts := range map[string]sshhost.Options{
		"in the second version": {},
		"in the first version":  {NoV2: true},
	} {
		t.Run(name, func(t *testing.T) {
			coretest.GitRemote(t,
				func(t *testing.T) core.GitRemote { return open(t, Options{SSH: loopback}) },
				func(t *testing.T) coretest.GitHost { return newSSHBench(t, opts) })
		})
	}
}

// reachable makes a repository with one commit, which is fetched over SSH as somebody who may read it.
func (b *sshBench) reachable(t *testing.T) (core.GitSource, core.Commit) {
	t.Helper()
	src := core.GitSource{Repository: newID(), URL: b.Create(t)}
	return b.Login(t, src, "", ""), b.Push(t, src.URL, coretest.GitPush{Files: map[string]string{"a": "1"}})
}

// G10: a host that proves itself with another key is not talked to, and the mirror stays readable.
func TestHostKeyThatChanges(t *testing.T) {
	b := newSSHBench(t, sshhost.Options{})
	src, commit := b.reachable(t)
	r := open(t, Options{SSH: loopback})
	mustFetch(t, r, src, commit)
	before := fingerprint(t, b, "ed25519")
	for name, kinds := range map[string][]string{"to one of the same kind": {"ed25519"}, "to one of another kind": {"ecdsa-256"}} {
		t.Run(name, func(t *testing.T) {
			if err := b.ssh.ChangeKeys(kinds...); err != nil {
				t.Fatal(err)
			}
			_, err := r.Head(t.Context(), src)
			coretest.WantFault(t, err, fault.Unauthenticated, "git.host_key_changed", before)
			coretest.WantFault(t, err, fault.Unauthenticated, "git.host_key_changed", fingerprint(t, b, kinds[0]))
			coretest.WantFault(t, err, fault.Unauthenticated, "git.host_key_changed", "scan the host again")
			_, err = r.Fetch(t.Context(), src)
			coretest.WantFault(t, err, fault.Unauthenticated, "git.host_key_changed", before)
			tree, err := r.Tree(t.Context(), src.Repository, commit)
			if err != nil {
				t.Fatal(err)
			}
			tree.Close()
			mustFetch(t, r, b.Login(t, src, "", ""), commit) // the new keys are accepted
		})
	}
}

func fingerprint(t *testing.T, b *sshBench, kind string) string {
	t.Helper()
	print, err := b.ssh.Fingerprint(kind)
	if err != nil {
		t.Fatal(err)
	}
	return print
}

// A host with several keys is believed by whichever was accepted.
func TestHostWithMoreKeysThanWereAccepted(t *testing.T) {
	b := newSSHBench(t, sshhost.Options{KeyTypes: []string{"ed25519", "ecdsa-384"}})
	src, commit := b.reachable(t)
	for _, line := range src.HostKeys {
		one := src
		one.HostKeys = []string{line}
		if got, err := open(t, Options{SSH: loopback}).Head(t.Context(), one); err != nil || got.Commit != commit {
			t.Errorf("%s: %v, %v", line, got, err)
		}
	}
}

func TestSSHHostThatIsNotKnownOrMayNotBeReached(t *testing.T) {
	b := newSSHBench(t, sshhost.Options{})
	src, _ := b.reachable(t)
	for name, keys := range map[string][]string{"no key": nil, "no key that can be read": {"ssh-ed25519 AAAA", "rubbish"}} {
		src.HostKeys = keys
		_, err := open(t, Options{SSH: loopback}).Head(t.Context(), src)
		coretest.WantFault(t, err, fault.Unauthenticated, "git.host_key_unknown", fingerprint(t, b, "ed25519"))
		if err != nil && strings.Contains(err.Error(), "PRIVATE") {
			t.Errorf("%s: %v", name, err)
		}
	}
	before := b.ssh.Connections()
	_, err := open(t, Options{}).Head(t.Context(), b.Login(t, src, "", ""))
	coretest.WantFault(t, err, fault.Forbidden, "git.private_address", "ALLOWED_PRIVATE_IP_RANGES")
	if b.ssh.Connections() != before {
		t.Error("it was connected to all the same")
	}
	if err := b.ssh.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = open(t, Options{SSH: loopback}).Head(t.Context(), b.Login(t, src, "", ""))
	coretest.WantFault(t, err, fault.Unavailable, "git.unreachable", "no SSH connection to the Git host came about: nothing listens")
}

// Addresses in Git's short form start at the user's home folder; what stands in them is never a shell's to read.
func TestPathsOverSSH(t *testing.T) {
	home := t.TempDir()
	b := newSSHBench(t, sshhost.Options{Home: home})
	b.host = githost.New(home)
	b.authorize(t, b.key(t, "\x00").public)
	odd := `it's $(touch pwned); a!b "c"`
	for name, path := range map[string]string{
		"an absolute path":              b.host.Dir("plain"),
		"a path from home":              "/" + filepath.Base(b.host.Dir("plain")),
		"a path from home, spelled out": "/~/" + filepath.Base(b.host.Dir("plain")),
		"a path for no shell":           filepath.Join(home, odd+".git"),
		"a path for no shell, relative": "/" + odd + ".git",
	} {
		t.Run(name, func(t *testing.T) {
			repo := "plain"
			if strings.Contains(path, odd) {
				repo = odd
			}
			if _, err := os.Stat(b.host.Dir(repo)); err != nil {
				git(t, "init", "-q", "--bare", "--initial-branch=main", b.host.Dir(repo))
			}
			src := b.Login(t, core.GitSource{Repository: newID(), URL: "ssh://" + b.ssh.User + "@" + b.ssh.Addr + (&url.URL{Path: path}).EscapedPath()}, "", "")
			_, err := open(t, Options{SSH: loopback}).Head(t.Context(), src)
			coretest.WantFault(t, err, fault.NotFound, "git.branch_missing", "empty") // it was found, and has nothing yet
		})
	}
	if _, err := os.Stat(filepath.Join(home, "pwned")); err == nil {
		t.Error("a path was run")
	}
}

// Keys of each type are taken.
func TestEachTypeOfKeyLogsIn(t *testing.T) {
	b := newSSHBench(t, sshhost.Options{})
	src, commit := b.reachable(t)
	for _, kind := range []string{"ed25519", "ecdsa-256", "ecdsa-521", "rsa-2048"} {
		k := b.addKey(t, kind, kind)
		b.authorize(t, k.public)
		src.Key = secrets.NewValue(k.private)
		if got, err := open(t, Options{SSH: loopback}).Head(t.Context(), src); err != nil || got.Commit != commit {
			t.Errorf("%s: %v, %v", kind, got, err)
		}
	}
}

// TestNothingOfAKeyLeavesTheProcess looks at everything that the fetch's processes were given, and at the mirror.
func TestNothingOfAKeyLeavesTheProcess(t *testing.T) {
	b := newSSHBench(t, sshhost.Options{})
	src, commit := b.reachable(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen")
	write(t, filepath.Join(dir, "git"), "#!/bin/sh\n{ echo \"$@\"; env; } >>"+seen+"\nexec "+real+" \"$@\"\n")
	if err := os.Chmod(filepath.Join(dir, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	r := open(t, Options{SSH: loopback})
	mustFetch(t, r, src, commit)
	given := read(t, seen)
	secret := strings.Split(src.Key.Reveal(), "\n")[2]
	if len(secret) < 40 || strings.Contains(given, secret) || strings.Contains(given, "PRIVATE KEY") {
		t.Error("a process was given the key")
	}
	arguments := 0
	for line := range strings.Lines(given) {
		if strings.HasPrefix(line, "fetch ") {
			arguments++
			if strings.Contains(line, "127.0.0.1") || !strings.Contains(line, " bridge: ") {
				t.Errorf("the arguments tell where the bridge is: %s", line)
			}
		}
	}
	if arguments != 1 || !strings.Contains(given, "GIT_ALLOW_PROTOCOL=git\n") || !strings.Contains(given, "GIT_ALLOW_PROTOCOL=http:https\n") {
		t.Errorf("git was started like this:\n%s", given)
	}
	err = filepath.WalkDir(r.root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && strings.Contains(read(t, path), secret) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A bridge leads the one who knows its name, once, and nobody else.
func TestBridgeLeadsOneConversation(t *testing.T) {
	b := newSSHBench(t, sshhost.Options{})
	src, _ := b.reachable(t)
	r := open(t, Options{SSH: loopback})
	found, err := r.ask(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer found.hangUp()
	way, err := openBridge(t.Context(), found.line, found.path)
	if err != nil {
		t.Fatal(err)
	}
	defer way.close()
	for name, hello := range map[string]string{
		"another name":    "git-upload-pack /" + strings.Repeat("A", 26) + "\x00host=x\x00",
		"another program": "git-receive-pack /" + way.name + "\x00host=x\x00",
		"noise":           "GET / HTTP/1.1\r\n\r\n",
	} {
		if got := say(t, way, hello); got != "" {
			t.Errorf("%s was answered %.40q", name, got)
		}
	}
	if got := say(t, way, "git-upload-pack /"+way.name+"\x00host=x\x00"); !strings.Contains(got, "refs/heads/main") {
		t.Errorf("git was answered %.80q", got)
	}
	if _, err := net.Dial("tcp", way.listener.Addr().String()); err == nil {
		t.Error("a second conversation was let in")
	}
}

// say greets a bridge, says that nothing more is wanted, and returns the answer.
func say(t *testing.T, way *bridge, hello string) string {
	t.Helper()
	conn, err := net.Dial("tcp", way.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%04x%s0000", len(hello)+4, hello)
	_ = conn.(*net.TCPConn).CloseWrite() // a bridge that was not convinced has hung up by then
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

func FuzzUntilFlush(f *testing.F) {
	f.Add([]byte("0008done0000rest"))
	f.Add([]byte("00010002zzzz"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		u := &untilFlush{from: bufio.NewReader(bytes.NewReader(raw))}
		got, err := io.ReadAll(u)
		if !bytes.HasPrefix(raw, got) || err == nil && len(got) < len(raw) && !u.last {
			t.Errorf("%q became %q, %v", raw, got, err)
		}
	})
}
