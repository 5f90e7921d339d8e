// Package policy says what the containers of a committer may reach of a host, and judges
// rendered Compose projects by it.
//
// It judges what a project is once everything is resolved (variables, anchors, merge keys,
// profiles, overrides, extends, include), never how it was written. Hub and worker judge with
// it: the hub to tell the committer early and with the line, the worker because it does not
// rely on the hub. What is not known here is refused, so that a key which a later Compose
// library brings does not pass unjudged.
//
// The package must not know files, engines or stacks. Start reading at Judge.
package policy
