package config

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"berth/core/policy"
)

// Limits of lists.
const (
	maxTags     = 64
	maxTag      = 63 // characters
	maxNetworks = 256
)

// readTags reads comma-separated tags; one that is given twice counts once.
func readTags(text string, _ variable) (any, error) {
	if strings.Contains(text, " ") {
		return nil, errors.New("contains a space; separate tags by a comma alone")
	}
	var tags []string
	for tag := range strings.SplitSeq(text, ",") {
		switch {
		case tag == "":
			return nil, errors.New("has an empty tag; write one comma between two tags and none at the ends")
		case !onlyLetters(tag, "-_"):
			return nil, errors.New("has a character that tags may not have; use letters (a to z), digits, - and _ only")
		case len(tag) > maxTag:
			return nil, fmt.Errorf("has a tag that is too long; at most %d characters", maxTag)
		}
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
		if len(tags) > maxTags {
			return nil, fmt.Errorf("has too many tags; at most %d", maxTags)
		}
	}
	return tags, nil
}

// readAllowances reads what the owner of a host lets projects have, comma-separated.
func readAllowances(text string, _ variable) (any, error) {
	allowed := strings.Split(text, ",")
	if _, err := policy.Of(allowed); err != nil {
		return nil, err
	}
	return allowed, nil
}

// readNetworks reads comma-separated CIDR ranges. IPv4-mapped IPv6 ranges become IPv4
// ones, so that they match the addresses that connections have.
func readNetworks(text string, _ variable) (any, error) {
	if strings.Contains(text, " ") {
		return nil, errors.New("contains a space; separate ranges by a comma alone")
	}
	var networks []netip.Prefix
	for entry := range strings.SplitSeq(text, ",") {
		if len(networks) == maxNetworks {
			return nil, fmt.Errorf("has too many ranges; at most %d", maxNetworks)
		}
		network, err := readNetwork(entry)
		if err != nil {
			return nil, fmt.Errorf("has an entry, number %d, that %w", len(networks)+1, err)
		}
		networks = append(networks, network)
	}
	return networks, nil
}

func readNetwork(entry string) (netip.Prefix, error) {
	if entry == "" {
		return netip.Prefix{}, errors.New("is empty; write one comma between two ranges and none at the ends")
	}
	if _, err := netip.ParseAddr(entry); err == nil && !strings.Contains(entry, "/") {
		return netip.Prefix{}, errors.New("is a single address; add /32 to an IPv4 address and /128 to an IPv6 address")
	}
	network, err := netip.ParsePrefix(entry)
	if err != nil {
		return netip.Prefix{}, errors.New("is not a CIDR range; write <address>/<bits>")
	}
	if network != network.Masked() {
		return netip.Prefix{}, errors.New("has address bits beyond its prefix length; write the first address of the range")
	}
	if !network.Addr().Is4In6() {
		return network, nil
	}
	return netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-96), nil // shorter ones have surplus address bits
}
