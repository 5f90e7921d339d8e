package policy

import (
	"strconv"
	"strings"
)

// portSpan is a range of published ports; protocol "" is every one.
type portSpan struct {
	from, to int
	protocol string
}

// portsOf reads "22", "8000-8999" or "53/udp"; problem is empty when it is one.
func portsOf(entry string) (s portSpan, problem string) {
	numbers, protocol, named := strings.Cut(entry, "/")
	first, last, several := strings.Cut(numbers, "-")
	if !several {
		last = first
	}
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err1 != nil || err2 != nil || from < 1 || to > 65535 || from > to || named && protocol != "tcp" && protocol != "udp" && protocol != "sctp" {
		return s, "must be a port or a range of ports, such as 22, 8000-8999 or 53/udp"
	}
	return portSpan{from, to, protocol}, ""
}

func (s portSpan) overlaps(other portSpan) bool {
	return s.from <= other.to && other.from <= s.to && (s.protocol == "" || other.protocol == "" || s.protocol == other.protocol)
}
