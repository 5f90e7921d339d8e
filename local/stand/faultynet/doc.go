// Package faultynet stands in for a bad network: a TCP proxy on loopback whose connections can
// be made slow, held, cut in the middle of a frame, or dropped when they are idle; and a network
// namespace on whose way to this host the kernel loses packets.
//
// The proxy knows bytes only. What it holds back arrives once it is let go, in order, as it would
// after lost packets. Start with Proxy, then Outpost.
package faultynet
