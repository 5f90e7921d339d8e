// Package vault reads secrets from key-value stores, version 2, of a Vault server. It implements
// integrations.Backend.
//
// It owns how references become requests, and what each answer that is no value means to a person. A
// secret is read once however many of its fields are named, several at a time, and nothing is kept
// between two calls but connections. The token goes to the configured address alone: no redirect is
// followed, and no VAULT_ variable of the process changes anything. It is renewed when half of its time has
// passed, and once when it is refused. Messages name references, never a value or the token. The
// package must not know what a variable is for. Start with Client in client.go, then resolve.go.
package vault
