// Package wire owns what hub and worker say to each other: the messages, how they stand
// in frames, their limits, and which end may send which. This text is the protocol's
// specification; the other end can be written from it.
//
// It must not know connections, queues, clocks, the store or a container engine: it
// turns values into bytes and back, and judges them. Start with messages.go, then
// table.go; berth/hub/link moves frames, berth/hub/adapter/websocket carries them.
//
// # Transport
//
// The worker dials the hub's worker port. The port speaks TLS 1.3 only, HTTP/1.1 only
// (ALPN "http/1.1"), and serves nothing but the two requests below. The worker proves
// that it holds its own key pair by a client certificate, self-signed, that it makes from
// a key which it keeps on disk. The hub proves itself by the pin that the worker token carries: the
// SHA-256 of the SubjectPublicKeyInfo of the hub's leaf certificate. With a pin nothing
// else of the certificate is looked at; without one the host's trusted roots decide. The
// worker sends neither its token nor anything else before the hub is proven.
//
// # Enrolment
//
// On that connection the worker first asks by plain HTTP:
//
//	POST /worker/enrol
//	X-Worker-Token: berth_wt_…
//	Content-Type: application/json
//
//	{"protocol":1,"hostname":"edge-1","tags":["eu"],"version":"1.2.0","os":"linux","arch":"amd64"}
//
// The body is an Enrol of at most MaxEnrol bytes. The first time, this registers the
// worker and binds the token to the key of its client certificate; later it only
// authenticates, and another key is refused. The answers are:
//
//	200 Enrolled: the worker's id, the server's heartbeat interval, the server's clock
//	401 the token is unknown, expired or revoked
//	403 the token belongs to another key
//	409 the protocol version is not spoken here, or the registration conflicts
//	422 a value is not allowed
//	429, 503 with Retry-After: too many workers at once, or the hub is not ready
//
// Refusals are application/problem+json. After 429 and 503 the worker waits as told, after
// any failure with full jitter: a random time of up to 1, 2, 4, … 60 seconds.
//
// # Upgrade
//
// On the same connection, with the same X-Worker-Token header, the worker then asks
//
//	GET /worker/link
//
// for an upgrade to a WebSocket (RFC 6455, version 13, no subprotocol, no extension). A
// request with a value in its Origin header comes from a browser and gets 403. From
// here on each WebSocket message, in one unfragmented binary frame (text is accepted),
// is one frame of this protocol. Compression, fragments and reserved bits are refused.
// WebSocket pings are answered, but count as nothing: liveness is by Heartbeat.
//
// # Frames
//
// A frame is at most MaxFrame bytes of UTF-8: the name of a message, one space, and a
// JSON object.
//
//	heartbeat {"number":7,"round_trip_us":412}
//
// The names and directions stand in table.go. Byte strings are base64 (standard alphabet, padded),
// times RFC 3339. Unknown fields are ignored. An unknown name, a message in the wrong
// direction, trailing data, nesting deeper than 32, more than 65,536 values in one frame, or a value
// outside of its limits is a violation, and the end that sees one closes the link.
// Encode refuses what Decode would refuse, so that a faulty message fails where it is
// made instead of ending link after link.
//
// # Hello, welcome, settlement
//
// The worker's first message is Hello, the hub's first is Welcome; before that nothing
// else may be sent. Hello lists in Journal every command that the worker holds without
// a ResultAck. Welcome gives the link's Epoch, which rises with every connection of a
// worker, and answers each entry of the journal in Settle:
//
//	acknowledged  the result is stored: the worker prunes the entry
//	run           go on; if the worker was restarted since, settle by looking at the
//	              containers, never by repeating blindly; then send the Result (again)
//	cancel        stop it, then send its Result
//	forget        superseded or unknown: stop it if it runs, and prune, without a Result
//
// A worker has one link. When a second one says Hello the hub closes the first; what
// still arrives with an older epoch's link is not applied. After Welcome the hub sends
// the commands that are due and that the journal did not list.
//
// # The life of a command
//
//	hub     Command     its row says "sent", committed
//	worker  Accepted    its journal says "received", on disk (fsync)
//	worker  Event …     nothing durable; numbered from 1, a gap means dropped lines
//	worker  Result      its journal says "result", on disk (fsync)
//	hub     ResultAck   the transaction that ends the command is committed
//	worker              prunes its journal
//
// (ID, Attempt) is the idempotency key. A Command that the worker knows already is
// answered by Accepted, and by Result where there is one, and not done again; a real retry comes
// with a higher Attempt, and is done. Command.Epoch is the epoch of the link; a worker refuses
// another by closing the link. Seconds is what is left of the deadline: a duration,
// because clocks differ; each end measures it on its own monotonic clock. When it has
// passed the worker stops as after Cancel and sends a Result with status "failed".
// Cancel asks to stop: SIGTERM, ten seconds, SIGKILL; the Result still comes. Cancel of an
// unknown id leaves a tombstone, so that a Command which arrives late is not started.
// The journal holds no secret: after a restart of the worker, values are gone.
//
// Result may overtake Events, because control goes before bulk. A worker that wants its last
// lines seen in time waits, briefly, until they are written.
//
// # Content
//
// Deploy.Content names files by digest. For a file that the worker lacks it sends BlobWant
// with the command's id, and the hub answers with BlobChunks in order of Offset, from 0, the
// last one with Last. A chunk with Error ends the blob without data. Both ends may have several
// blobs under way; the chunks of one digest are never mixed with a second answer for it. The worker checks
// the SHA-256 of the whole before it uses a byte. A frame has to arrive within the
// receiver's patience: on a slow link, smaller chunks than MaxBlobChunk are the sender's choice.
//
// # Observation and metrics
//
// Observed tells what runs: with Complete after Welcome and from time to time, for one
// stack after a change. Snapshot is the worker's metrics in the Prometheus text format.
//
// # Live requests
//
// Request asks for something now: logs, start, stop, restart of a compose service. The hub chooses an ID,
// unique on the link. The worker answers with Replies, any number, the last one with
// Last; failure stands in that one, in Kind, Code and Error. RequestCancel ends it early. Neither outlives
// the link, and nothing of it is journaled.
//
// # Heartbeats and deadlines
//
// The worker sends a Heartbeat at once after Welcome and then every Welcome.HeartbeatSeconds,
// or more often where its own configuration says so; the hub answers each with a
// HeartbeatAck of the same number. Each end closes the link when nothing has arrived for
// three times Welcome.HeartbeatSeconds. Any frame counts, when it is complete. Every write has a
// deadline as well.
//
// # Order and priority
//
// Each end has two bounded queues, control and bulk (table.go). Control goes first; within a queue
// order is kept. Chunks are small so that one of them never holds a heartbeat up for long.
//
// # Bye
//
// The end that closes on purpose says Bye first, with a reason for people. From the hub,
// RetrySeconds says when to come back; the worker adds its jitter. The receiver closes.
//
// # Versions
//
// Enrol.Protocol is ProtocolVersion. Hub and worker one release apart work together: fields
// are only added, and an end treats a missing one as its zero. A new message, or a new value of an
// enumeration, is only sent to an end whose release knows it.
package wire
