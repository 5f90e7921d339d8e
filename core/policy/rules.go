package policy

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"

	"berth/core/fault"
)

// Rules narrow what may be put on a host; they never give more than its owner allows. The zero Rules narrow nothing.
type Rules struct {
	Allow Lists  `json:"allow"`
	Block Blocks `json:"block"`
}

// Lists are what alone may be used. A list that is nil limits nothing; an empty one lets nothing pass.
type Lists struct {
	Images          []string `json:"images"`           // patterns of images, see Image
	Volumes         []string `json:"volumes"`          // patterns of volumes' names in the engine, or Own
	Networks        []string `json:"networks"`         // patterns of networks' names in the engine, or Own
	Capabilities    []string `json:"capabilities"`     // that may be added to those that every container has
	Devices         []string `json:"devices"`          // patterns of the host's devices, cgroup rules word by word, or GPU
	SecurityOptions []string `json:"security_options"` // word by word
	BindMounts      []string `json:"bind_mounts"`      // folders and files of the host; what lies in one may be mounted too
	Addresses       []string `json:"addresses"`        // of the host, on which ports may be published; 0.0.0.0 is all of them
}

// Words of lists that are no names.
const (
	Own = "@project" // a volume or network that the project makes itself, under its own name
	GPU = "gpu"      // every GPU
)

// Blocks are what nobody gets, whatever the owner of a host allows.
type Blocks struct {
	LatestTags     bool     `json:"latest_tags"`  // images without a tag or digest, or with the tag latest
	HostVolumes    bool     `json:"host_volumes"` // every folder and file of the host
	Privileged     bool     `json:"privileged"`
	HostNetwork    bool     `json:"host_network"`
	HostPID        bool     `json:"host_pid"`
	HostIPC        bool     `json:"host_ipc"`
	HostUsers      bool     `json:"host_users"`    // the host's user namespace
	DockerSocket   bool     `json:"docker_socket"` // the socket of the container engine, and every folder that leads to it
	PublishedPorts []string `json:"ports"`         // that may not be published: "22", "8000-8999", "53/udp"
}

// Origin says who set rules.
type Origin string

// The origins, in the order in which they are told.
const (
	FromHost   Origin = "host"   // the policy file of the host: WORKER_POLICY_FILE
	FromWorker Origin = "worker" // the server's rules for this worker
	FromGlobal Origin = "global" // the server's rules for all workers
)

// Words names an origin for people.
func (o Origin) Words() string {
	switch o {
	case FromHost:
		return "the policy file of the host"
	case FromWorker:
		return "the policy of this worker"
	}
	return "the policy for all workers"
}

// Layer is rules with their origin. What a host gets must pass every layer.
type Layer struct {
	From  Origin `json:"from"`
	Rules Rules  `json:"rules"`
}

// Limits of rules.
const (
	MaxEntries = 200      // of one list
	MaxRules   = 16 << 10 // bytes of rules as JSON
	MaxLayers  = 3
	maxEntry   = 512 // bytes
)

// ReadRules reads rules from JSON, as the policy file of a host has them. A key that is not known is an error: what
// its owner meant to forbid must not pass because of a slip.
func ReadRules(text []byte) (Rules, error) {
	var r Rules
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return Rules{}, fmt.Errorf("is not a policy: %w", err)
	}
	if decoder.More() {
		return Rules{}, fmt.Errorf("has something after the policy")
	}
	if bad := r.Check(); len(bad) > 0 {
		return Rules{}, fmt.Errorf("%s: %s", bad[0].Path, bad[0].Problem)
	}
	return r, nil
}

// Empty reports whether rules narrow nothing.
func (r Rules) Empty() bool { return len(r.Set()) == 0 }

// Set names the settings that narrow something: "allow.images", "block.privileged".
func (r Rules) Set() []string {
	var set []string
	for _, l := range r.Allow.all() {
		if *l.entries != nil {
			set = append(set, "allow."+l.name)
		}
	}
	for _, b := range r.Block.all() {
		if *b.on {
			set = append(set, "block."+b.name)
		}
	}
	if len(r.Block.PublishedPorts) > 0 {
		set = append(set, "block.ports")
	}
	return set
}

// Changed names the settings in which two rules differ.
func (r Rules) Changed(other Rules) []string {
	var changed []string
	mine, theirs := r.Allow.all(), other.Allow.all()
	for i, l := range mine {
		if a, b := *l.entries, *theirs[i].entries; (a == nil) != (b == nil) || !slices.Equal(a, b) {
			changed = append(changed, "allow."+l.name)
		}
	}
	on, was := r.Block.all(), other.Block.all()
	for i, b := range on {
		if *b.on != *was[i].on {
			changed = append(changed, "block."+b.name)
		}
	}
	if !slices.Equal(r.Block.PublishedPorts, other.Block.PublishedPorts) {
		changed = append(changed, "block.ports")
	}
	return changed
}

// limit is one of Lists, and block one of Blocks, by name.
type (
	limit struct {
		name    string
		entries *[]string
		problem func(entry string) string
	}
	block struct {
		name string
		on   *bool
	}
)

func (l *Lists) all() []limit {
	return []limit{
		{"images", &l.Images, imagePatternProblem}, {"volumes", &l.Volumes, namePatternProblem}, {"networks", &l.Networks, namePatternProblem},
		{"capabilities", &l.Capabilities, capabilityProblem}, {"devices", &l.Devices, printable}, {"security_options", &l.SecurityOptions, printable},
		{"bind_mounts", &l.BindMounts, folderProblem}, {"addresses", &l.Addresses, addressProblem},
	}
}

func (b *Blocks) all() []block {
	return []block{{"latest_tags", &b.LatestTags}, {"host_volumes", &b.HostVolumes}, {"privileged", &b.Privileged}, {"host_network", &b.HostNetwork},
		{"host_pid", &b.HostPID}, {"host_ipc", &b.HostIPC}, {"host_users", &b.HostUsers}, {"docker_socket", &b.DockerSocket}}
}

// Check complains about every entry that is none.
func (r Rules) Check() []fault.Field {
	var bad []fault.Field
	for _, l := range r.Allow.all() {
		bad = append(bad, checkEntries("allow."+l.name, *l.entries, l.problem)...)
	}
	bad = append(bad, checkEntries("block.ports", r.Block.PublishedPorts, func(entry string) string {
		_, problem := portsOf(entry)
		return problem
	})...)
	if text, err := json.Marshal(r); err != nil || len(text) > MaxRules {
		bad = append(bad, fault.Field{Path: "allow", Problem: fmt.Sprintf("is too large; a policy has at most %d KiB", MaxRules>>10)})
	}
	return bad
}

func checkEntries(at string, entries []string, problem func(string) string) (bad []fault.Field) {
	if len(entries) > MaxEntries {
		return []fault.Field{{Path: at, Problem: fmt.Sprintf("has %d entries; at most %d", len(entries), MaxEntries)}}
	}
	for i, entry := range entries {
		if p := problem(entry); p != "" {
			bad = append(bad, fault.Field{Path: fmt.Sprintf("%s[%d]", at, i), Problem: p})
		}
	}
	return bad
}

func printable(entry string) string {
	if entry == "" || len(entry) > maxEntry || strings.ContainsFunc(entry, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return fmt.Sprintf("must be one line of 1 to %d bytes", maxEntry)
	}
	return ""
}

var namePattern = regexp.MustCompile(`^[a-zA-Z0-9_.*-]{1,255}$`)

func namePatternProblem(entry string) string {
	if entry != Own && !namePattern.MatchString(entry) {
		return "must be a name, in which * stands for anything, or " + Own
	}
	return ""
}

// capabilities are all that Linux has (capabilities(7), linux/capability.h of 6.12), and ALL, which stands for every one.
var capabilities = set("ALL", "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH",
	"FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE", "LINUX_IMMUTABLE", "MAC_ADMIN", "MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE",
	"NET_BROADCAST", "NET_RAW", "PERFMON", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT", "SYS_CHROOT", "SYS_MODULE", "SYS_NICE",
	"SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "WAKE_ALARM")

func capabilityProblem(entry string) string {
	if !capabilities[capability(entry)] {
		return "is no capability that Linux has; they are called as NET_ADMIN or CAP_NET_ADMIN is, see capabilities(7)"
	}
	return ""
}

func capability(text string) string {
	return strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "CAP_")
}

func folderProblem(entry string) string {
	if p := printable(entry); p != "" {
		return p
	}
	if !strings.HasPrefix(entry, "/") || path.Clean(entry) != entry {
		return "must be a clean absolute path, such as /srv/files"
	}
	return ""
}

func addressProblem(entry string) string {
	if _, err := netip.ParseAddr(entry); err != nil {
		return "must be an IP address, such as 127.0.0.1; 0.0.0.0 stands for all addresses of the host"
	}
	return ""
}

// Told says how a setting stands, in a word or two, without what its list holds.
func (r Rules) Told(name string) string {
	for _, l := range r.Allow.all() {
		if "allow."+l.name == name {
			switch n := len(*l.entries); {
			case *l.entries == nil:
				return "no limit"
			case n == 1:
				return "1 entry"
			default:
				return fmt.Sprintf("%d entries", n)
			}
		}
	}
	for _, b := range r.Block.all() {
		if "block."+b.name == name && *b.on {
			return "on"
		}
	}
	if n := len(r.Block.PublishedPorts); name == "block.ports" && n > 0 {
		return fmt.Sprintf("%d entries", n)
	}
	return "off"
}

// Limit returns the entries of a list by name, such as "allow.images"; limited says that there is such a limit.
func (r Rules) Limit(name string) (entries []string, limited bool) {
	if name == "block.ports" {
		return r.Block.PublishedPorts, len(r.Block.PublishedPorts) > 0
	}
	for _, l := range r.Allow.all() {
		if "allow."+l.name == name {
			return *l.entries, *l.entries != nil
		}
	}
	return nil, false
}

// Blocks reports whether a block is on, by name, such as "block.privileged".
func (r Rules) Blocks(name string) bool {
	return slices.ContainsFunc(r.Block.all(), func(b block) bool { return "block."+b.name == name && *b.on })
}

// SetLimit limits a list to entries, and SetBlock turns a block on, each by name. A name that is none changes nothing.
func (r *Rules) SetLimit(name string, entries []string) {
	if name == "block.ports" {
		r.Block.PublishedPorts = entries
	}
	for _, l := range r.Allow.all() {
		if "allow."+l.name == name {
			*l.entries = append([]string{}, entries...)
		}
	}
}

// SetBlock turns a block on.
func (r *Rules) SetBlock(name string) {
	for _, b := range r.Block.all() {
		if "block."+b.name == name {
			*b.on = true
		}
	}
}
