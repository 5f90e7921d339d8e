// Package manager reads secrets from a secrets manager with Infisical's API, as a machine identity by
// universal authentication. It implements integrations.Backend.
//
// It owns how references become requests, and what each answer that is no value means to a person. A
// folder is listed once however many of its secrets are named, because such servers count questions; what a folder
// imports counts as in it, and references inside values are followed by the server. Nothing is kept
// between two calls but connections and the access token, which is renewed before its end and asked for
// again once when it is refused. No redirect is followed. Messages name references, never a value or
// a credential. The package must not know what a variable is for.
//
// Start with Client in client.go, then resolve.go. The API's reference is at
// https://infisical.com/docs/api-reference; routes.go says where older servers differ.
package manager
