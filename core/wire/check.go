package wire

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"berth/core"
	"berth/core/fault"
)

// Validate checks every value of msg against the protocol's limits: lengths, shapes of
// identifiers, counts, UTF-8. The fault names each bad field by its path, never by its
// value, and is TooLarge where a size is the problem.
func Validate(msg any) error {
	var c complaints
	switch m := msg.(type) {
	case Enrol:
		checkEnrol(&c, m)
	case Enrolled:
		checkEnrolled(&c, m)
	default:
		k, found := kindOf(msg)
		if !found {
			return unknownMessage(fmt.Sprintf("%T", msg))
		}
		k.check(&c, msg)
	}
	if len(c.fields) == 0 {
		return nil
	}
	if c.large {
		return tooLarge(msg, c.fields[0].Path+": "+c.fields[0].Problem)
	}
	return fault.BadFields(CodeInvalid, c.fields)
}

// maxComplaints bounds what a message of nothing but bad fields can cost.
const maxComplaints = 10

// complaints collects what is wrong with one message.
type complaints struct {
	fields []fault.Field
	large  bool // the first complaint is about a size
}

func (c *complaints) add(path, problem string, args ...any) {
	if len(c.fields) < maxComplaints {
		c.fields = append(c.fields, fault.Field{Path: path, Problem: fmt.Sprintf(problem, args...)})
	}
}

func (c *complaints) size(path string, n, limit int, unit string) bool {
	if n <= limit {
		return true
	}
	c.large = c.large || len(c.fields) == 0
	c.add(path, "has %d %s, the limit is %d", n, unit, limit)
	return false
}

// within runs check and puts name in front of the paths that it complains about.
func (c *complaints) within(name string, check func()) {
	before := len(c.fields)
	check()
	for i := before; i < len(c.fields); i++ {
		c.fields[i].Path = name + "." + c.fields[i].Path
	}
}

// each runs check for the numbers below n, at most limit, and names what it complains about.
func (c *complaints) each(name string, n, limit int, check func(i int)) {
	if !c.size(name, n, limit, "items") {
		return
	}
	for i := 0; i < n && len(c.fields) < maxComplaints; i++ {
		before := len(c.fields)
		check(i)
		for k := before; k < len(c.fields); k++ {
			c.fields[k].Path = strings.TrimSuffix(fmt.Sprintf("%s[%d].%s", name, i, c.fields[k].Path), ".")
		}
	}
}

// text is any text of at most limit bytes, line breaks included.
func (c *complaints) text(path, s string, limit int) {
	if !c.size(path, len(s), limit, "bytes") {
		return
	}
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
		c.add(path, "must be valid UTF-8 without NUL")
	}
}

// line is text without control characters, and not empty unless limits say so.
func (c *complaints) line(path, s string, shortest, limit int) {
	c.text(path, s, limit)
	if len(s) < shortest {
		c.add(path, "must not be empty")
	}
	if strings.IndexFunc(s, unicode.IsControl) >= 0 {
		c.add(path, "must not contain control characters")
	}
}

func (c *complaints) shape(path, s string, re *regexp.Regexp, limit int, want string) {
	if c.size(path, len(s), limit, "bytes") && !re.MatchString(s) {
		c.add(path, "must be %s", want)
	}
}

func (c *complaints) id(path, prefix, s string) {
	if !core.ValidID(prefix, s) {
		c.add(path, "must be an identifier that begins with %s_", prefix)
	}
}

func (c *complaints) whole(path string, n, lowest, highest int64) {
	if n < lowest || n > highest {
		c.add(path, "must be from %d to %d", lowest, highest)
	}
}

// counter is a number that rises.
func (c *complaints) counter(path string, n uint64, lowest uint64) {
	if n < lowest || n > maxNumber {
		c.add(path, "must be from %d to %d", lowest, int64(maxNumber))
	}
}

func oneOf[T ~string](c *complaints, path string, s T, allowed ...T) {
	if !slices.Contains(allowed, s) {
		c.add(path, "must be one of %v", allowed)
	}
}

// command is the idempotency key that every message about a command carries.
func (c *complaints) command(id core.CommandID, attempt int) {
	c.id("id", core.PrefixCommand, string(id))
	c.whole("attempt", int64(attempt), 1, maxAttempt)
}

var (
	digestShape  = regexp.MustCompile(`^[0-9a-f]{64}$`)
	commitShape  = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	projectShape = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
	serviceShape = regexp.MustCompile(`^[a-zA-Z0-9._-]+$`)
	tagShape     = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	codeShape    = regexp.MustCompile(`^[a-z0-9_.]*$`)
)

func (c *complaints) digest(path, s string) {
	c.shape(path, s, digestShape, 64, "a SHA-256 in 64 lower-case hexadecimal digits")
}

func (c *complaints) project(path, s string) {
	c.shape(path, s, projectShape, 63, "a Compose project name")
}
