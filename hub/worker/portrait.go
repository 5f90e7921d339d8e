package worker

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"berth/core"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/worker/applied"
)

// otherHand is what is told of a container that no deployment made, though it carries the
// labels of a stack.
const otherHand = "container"

// portraitOf takes the portrait of a stack's containers. It is never nil.
func portraitOf(key []byte, stack core.StackID, list []ProjectContainer) applied.Portrait {
	portrait := applied.Portrait{}
	for _, c := range list {
		if stackOf(c) != stack {
			continue
		}
		traits := make(map[string]string, len(c.Traits))
		for name, value := range c.Traits {
			traits[name] = traitDigest(key, c.ContainerID, name, value)
		}
		portrait[c.ContainerID] = traits
	}
	return portrait
}

// changedByHand names what differs between a container and the portrait that was taken when
// its stack was verified. A trait that one of the two does not have is unknown, because another
// version of the worker took the portrait.
func changedByHand(key []byte, r applied.Record, c ProjectContainer) []string {
	if r.Portrait == nil {
		return nil
	}
	traits, known := r.Portrait[c.ContainerID]
	if !known && r.Touched {
		return nil // perhaps the deployment made it that was begun since
	}
	if !known {
		return []string{otherHand}
	}
	changed := traitsChanged(key, traits, c)
	switch {
	case !hasEnded(c):
	case slices.Contains(r.Halted, c.ContainerID):
		changed = append([]string{stacks.ChangedHalted}, changed...)
	case slices.Contains(r.Stopped, c.ContainerID):
		changed = append([]string{stacks.ChangedStopped}, changed...)
	}
	return changed[:min(len(changed), wire.MaxChanged)]
}

func traitsChanged(key []byte, traits map[string]string, c ProjectContainer) (changed []string) {
	for name, value := range c.Traits {
		if before, taken := traits[name]; taken && before != traitDigest(key, c.ContainerID, name, value) {
			changed = append(changed, wire.Clip(name, wire.MaxTrait))
		}
	}
	slices.Sort(changed)
	return changed
}

// traitDigest hides a value, which may be secret and short, behind a key that never leaves
// this host. The same value of another container or trait has another digest.
func traitDigest(key []byte, container, name, value string) string {
	mac := hmac.New(sha256.New, key)
	for _, part := range []string{"trait", container, name, value} {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// claims says what a hand has changed of each stack, as far as that is known.
type claims struct {
	key     []byte
	records map[core.StackID]applied.Record
	worked  map[core.StackID]bool // by commands, while the engine was asked: nothing is claimed of them
}

func (s *steps) claims(worked map[core.StackID]bool) *claims {
	c := &claims{key: s.digestKey, records: map[core.StackID]applied.Record{}, worked: worked}
	for _, r := range s.applied.All() {
		c.records[r.Stack] = r
	}
	return c
}

// of returns what a hand has changed of one container. Without claims nothing is.
func (c *claims) of(container ProjectContainer) []string {
	if c == nil {
		return nil
	}
	stack := stackOf(container)
	record, known := c.records[stack]
	if _, busy := c.worked[stack]; busy || !known {
		return nil
	}
	return changedByHand(c.key, record, container)
}
