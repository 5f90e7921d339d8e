package config

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

const maxHost = 253 // characters of a host name, RFC 1035

var (
	errHost = errors.New("must be a host name or an IP address alone: letters, digits, dots and hyphens, without scheme, port or spaces")
	errPort = errors.New("has a port that is none; ports go from 1 to 65535")
)

// readOrigin reads scheme://host[:port].
func readOrigin(text string, _ variable) (any, error) {
	scheme, _, found := strings.Cut(text, "://")
	if !found {
		return nil, errors.New("has no scheme; write http://host[:port] or https://host[:port]")
	}
	if scheme = strings.ToLower(scheme); scheme != "http" && scheme != "https" {
		return nil, errors.New("has a scheme other than http and https; write http://host[:port] or https://host[:port]")
	}
	return bareURL(text)
}

// readServerURL reads https://host:port.
func readServerURL(text string, _ variable) (any, error) {
	if len(text) < 8 || !strings.EqualFold(text[:8], "https://") {
		return nil, errors.New("must begin with https://, because the worker port speaks TLS only; write https://<host>:<worker_port>")
	}
	bare, err := bareURL(text)
	if err != nil {
		return nil, err
	}
	if parsed, err := url.Parse(bare); err != nil || parsed.Port() == "" {
		return nil, errors.New("has no port; write https://<host>:<worker_port>, with the port that the server has as TLS_WORKER_PORT")
	}
	return bare, nil
}

// bareURL checks that a URL has nothing but scheme, host and port, and returns it in lower case.
func bareURL(text string) (string, error) {
	parsed, err := url.Parse(text)
	switch {
	case err != nil:
		return "", errors.New("is not a URL; write scheme://host[:port]")
	case parsed.User != nil:
		return "", errors.New("contains a user name or password; write scheme://host[:port] alone")
	case parsed.RawQuery != "" || parsed.ForceQuery || strings.Contains(text, "#"):
		return "", errors.New("has a query or fragment (? or #); write scheme://host[:port] alone")
	case parsed.Path == "/":
		return "", errors.New("ends with a slash; write scheme://host[:port] alone")
	case parsed.Path != "":
		return "", errors.New("has a path; write scheme://host[:port] alone")
	}
	if err := checkHostPort(parsed.Host, parsed.Hostname(), parsed.Port()); err != nil {
		return "", err
	}
	return strings.ToLower(parsed.Scheme + "://" + parsed.Host), nil
}

func checkHostPort(whole, host, port string) error {
	if !validHost(host) {
		return errors.New("has no host, or one that is not valid: letters, digits, dots and hyphens, or an IP address")
	}
	if port == "" && !strings.HasSuffix(whole, ":") {
		return nil
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return errPort
	}
	return nil
}

// validHost accepts IP addresses (without brackets and zones) and ASCII host names.
func validHost(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.Zone() == ""
	}
	if host == "" || len(host) > maxHost {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || !onlyLetters(label, "-_") {
			return false
		}
	}
	return true
}

func readHost(text string, _ variable) (any, error) {
	if !validHost(text) {
		return nil, errHost
	}
	return text, nil
}

func readWorkerName(text string, _ variable) (any, error) {
	if len(text) > maxHost || !onlyLetters(text, ".-_") {
		return nil, errors.New("must be at most 253 letters, digits, dots, - and _")
	}
	return text, nil
}

// readListenAddress reads host:port, where an empty host means all interfaces.
func readListenAddress(text string, _ variable) (any, error) {
	colon := strings.LastIndex(text, ":")
	if colon < 0 {
		return nil, errors.New("has no port; write host:port")
	}
	host, port := text[:colon], text[colon+1:]
	bare := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.Contains(host, ":") && host != "["+bare+"]" {
		return nil, errors.New("must be host:port, with an IPv6 address in brackets")
	}
	if host != "" && !validHost(bare) {
		return nil, errors.New("must be host:port, where host is a host name or an IP address")
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return nil, errPort
	}
	return text, nil
}

// onlyLetters reports whether text has nothing but ASCII letters, digits and extra.
func onlyLetters(text, extra string) bool {
	for _, c := range text {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune(extra, c) {
			return false
		}
	}
	return true
}
