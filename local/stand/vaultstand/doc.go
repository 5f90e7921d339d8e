// Package vaultstand stands in for a Vault server where none can run: it answers the part of its HTTP
// API that reads key-value stores, version 2, looks up and renews tokens, and lists mounts, as the
// API's public reference says and a real server was seen to do; the contract test of secret providers
// runs against both. By its Switch it misbehaves on purpose.
//
// It keeps everything in memory and checks tokens, so that a test can take one away. The program itself
// must not use it. Start with Server in server.go.
package vaultstand
