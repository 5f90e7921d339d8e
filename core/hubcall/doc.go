// Package hubcall is what handlers and hubs say to each other when they are not one process, and
// hubs to hubs: which calls there are, what they carry, how long they may take, and the key that
// proves who calls.
//
// A call is a POST to Prefix+Op on the hub's internal port, over TLS, whose key the caller knows
// from the hub's row in the store. The body is JSON of at most as many bytes as Op.Body says. The header Header
// holds time, nonce and an HMAC-SHA256 over operation, time, nonce and body under the installation's
// subkey for hubs (core/seal): whoever lacks SECRET_KEY can call nothing, and a call that was
// overheard cannot be repeated or changed. The time may differ by Window.
//
// The header SpeaksHeader says which protocol the caller speaks and which release it is; a hub that speaks another one refuses and names both.
//
// The answer is 200 with JSON or, for operations that stream, with text; or 422 with a Fault. A
// stream that ended badly says so in the trailer FaultTrailer, and one that was cut is not whole:
// either way the caller knows.
//
// Two calls carry secrets: Probe, which tries a credential, and EncryptFile. Those travel sealed.
// The package must not know HTTP or the store. Start with Op, then Key.
package hubcall
