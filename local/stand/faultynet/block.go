package faultynet

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"testing"
)

// The addresses between an outpost and this host are taken from those that are meant for
// measurements of networks (RFC 2544): eight for each.
const (
	blockSize = 8
	blocks    = 1 << (32 - 15) / blockSize
)

var measuring = netip.MustParsePrefix("198.18.0.0/15")

// freeBlock returns the first of eight addresses that this host does not use, and that another
// process is not likely to choose at the same moment.
func freeBlock(t testing.TB) netip.Addr {
	t.Helper()
	used, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for i := range blocks {
		block := blockNo((os.Getpid() + i) % blocks)
		if !inUse(block, used) {
			return block.Addr()
		}
	}
	t.Fatalf("every address of %v is in use", measuring)
	return netip.Addr{}
}

func blockNo(n int) netip.Prefix {
	first := measuring.Addr().As4()
	binary.BigEndian.PutUint32(first[:], binary.BigEndian.Uint32(first[:])+uint32(n*blockSize))
	return netip.PrefixFrom(netip.AddrFrom4(first), 29)
}

func inUse(block netip.Prefix, used []net.Addr) bool {
	for _, address := range used {
		if p, err := netip.ParsePrefix(address.String()); err == nil && block.Overlaps(p.Masked()) {
			return true
		}
	}
	return false
}
