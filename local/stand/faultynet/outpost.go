package faultynet

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// Outpost is a network namespace with a way of its own to this host, on which real packets can be
// lost. The way leads through a second namespace that does nothing but forward, so neither end
// is told what does not arrive. It needs root, or sudo that asks for no password.
type Outpost struct {
	Address string // of this host, as seen from there
	Far     string // address there, as seen from this host

	t        testing.TB
	way, far string // namespaces
	device   string // this host's end of the way
}

var outposts atomic.Int64 // of this process so far

// NewOutpost makes one on whose way nothing is lost. It ends with the test, and with it whatever
// still runs there.
func NewOutpost(t testing.TB) *Outpost {
	t.Helper()
	name := fmt.Sprintf("berth%d-%d", os.Getpid(), outposts.Add(1))
	o := &Outpost{t: t, way: name + "-way", far: name + "-far"}
	block := freeBlock(t)
	host := block.Next()
	near, beyond := host.Next(), host.Next().Next().Next().Next()
	o.Address, o.Far = host.String(), beyond.Next().String()
	t.Cleanup(o.close)
	o.device = "b" + strings.TrimPrefix(name, "berth") // 15 characters at the most
	for _, line := range []string{
		"netns add " + o.way,
		"netns add " + o.far,
		"link add " + o.device + " type veth peer name near netns " + o.way,
		"-n " + o.way + " link add beyond type veth peer name home netns " + o.far,
		fmt.Sprintf("address add %s/30 dev %s", host, o.device),
		fmt.Sprintf("-n %s address add %s/30 dev near", o.way, near),
		fmt.Sprintf("-n %s address add %s/30 dev beyond", o.way, beyond),
		fmt.Sprintf("-n %s address add %s/30 dev home", o.far, beyond.Next()),
		"link set " + o.device + " up",
		"-n " + o.way + " link set near up",
		"-n " + o.way + " link set beyond up",
		"-n " + o.far + " link set home up",
		"-n " + o.far + " link set lo up",
		fmt.Sprintf("-n %s route add default via %s", o.far, beyond),
		fmt.Sprintf("route add %s/30 via %s", beyond.Prev(), near),
	} {
		o.privileged("", "ip", strings.Fields(line)...)
	}
	o.privileged("", "ip", "netns", "exec", o.way, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward")
	return o
}

// Lose drops so many packets out of a hundred, each by chance, on both directions of the way; 0 ends it.
func (o *Outpost) Lose(percent int) {
	o.t.Helper()
	rules := "flush ruleset\ntable ip loss {\n\tchain forward {\n\t\ttype filter hook forward priority 0;\n"
	for _, from := range []string{"beyond", "near"} { // as Up and Down count
		rules += fmt.Sprintf("\t\tiifname %q numgen random mod 100 <= %d counter drop\n", from, percent-1)
	}
	if rules += "\t}\n}\n"; percent == 0 {
		rules = "flush ruleset\n"
	}
	o.privileged(rules, "ip", "netns", "exec", o.way, "nft", "-f", "-")
}

var counted = regexp.MustCompile(`counter packets (\d+) `)

// Lost returns how many packets of a direction were dropped since the last Lose.
func (o *Outpost) Lost(d Direction) int {
	o.t.Helper()
	text := o.privileged("", "ip", "netns", "exec", o.way, "nft", "list", "table", "ip", "loss")
	counters := counted.FindAllStringSubmatch(text, -1)
	if len(counters) != 2 {
		o.t.Fatalf("nft shows no two counters: %s", text)
	}
	n, err := strconv.Atoi(counters[d][1])
	if err != nil {
		o.t.Fatal(err)
	}
	return n
}

// Command prepares a program that runs there, as the user of this process, with nothing in its environment but env.
func (o *Outpost) Command(env []string, program string, args ...string) *exec.Cmd {
	line := []string{"ip", "netns", "exec", o.far, "setpriv", fmt.Sprintf("--reuid=%d", os.Getuid()), fmt.Sprintf("--regid=%d", os.Getgid()), "--clear-groups", "env", "-i"}
	cmd := o.command(append(append(append(line, env...), program), args...))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// End kills whatever runs there.
func (o *Outpost) End() {
	o.t.Helper()
	if pids, err := o.command([]string{"ip", "netns", "pids", o.far}).Output(); err == nil && len(pids) > 0 {
		_ = o.command(append([]string{"kill", "-9"}, strings.Fields(string(pids))...)).Run() // one that has ended meanwhile needs none
	}
}

// close removes the way with all that belongs to it.
func (o *Outpost) close() {
	o.t.Helper()
	o.End()
	for _, line := range []string{"link delete " + o.device, "netns delete " + o.far, "netns delete " + o.way} {
		if out, err := o.command(append([]string{"ip"}, strings.Fields(line)...)).CombinedOutput(); err != nil {
			o.t.Errorf("ip %s: %v %s", line, err, out)
		}
	}
}

// privileged runs a command with the rights that this needs, and returns what it printed.
func (o *Outpost) privileged(input, name string, args ...string) string {
	o.t.Helper()
	cmd := o.command(append([]string{name}, args...))
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		o.t.Fatalf("%s: %v\n%s\nThis test makes network namespaces: run it as root, or where sudo asks for no password, with iproute2 and nftables", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

func (o *Outpost) command(line []string) *exec.Cmd {
	if os.Geteuid() != 0 {
		line = append([]string{"sudo", "-n"}, line...)
	}
	return exec.Command(line[0], line[1:]...)
}
