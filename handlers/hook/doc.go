// Package hook takes what Git hosts send by themselves.
//
// It owns how such a request becomes a repositories.Arrival, byte for byte: who sent it, and whether that is to
// be believed, is for core/repositories. It looks at no session and no API key. Start with Receive.
package hook
