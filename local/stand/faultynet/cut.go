package faultynet

import (
	"fmt"
	"strings"
)

// Cut drops every packet of connections to these TCP ports, on whichever end of the way they are, in
// both directions; nobody is told. The others go on. Without ports nothing is cut any more.
func (o *Outpost) Cut(ports ...string) {
	o.t.Helper()
	rules := "flush ruleset\n"
	if len(ports) > 0 {
		list := strings.Join(ports, ", ")
		rules += fmt.Sprintf("table ip cut {\n\tchain forward {\n\t\ttype filter hook forward priority 0;\n"+
			"\t\ttcp dport { %s } counter drop\n\t\ttcp sport { %s } counter drop\n\t}\n}\n", list, list)
	}
	o.privileged(rules, "ip", "netns", "exec", o.way, "nft", "-f", "-")
}
