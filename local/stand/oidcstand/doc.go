// Package oidcstand is an OpenID Connect provider to test against: discovery, keys (RSA and elliptic curve), authorize
// and token, as OpenID Connect Core 1.0 and RFC 7636 say. It must not be used for anything but tests: it lets everybody in.
//
// A test says who signs in, and may change the token before or after it is signed.
package oidcstand
