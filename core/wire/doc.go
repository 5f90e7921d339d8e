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
// times RFC 3339. Unknown fields are ignored, and so is a message with an unknown name, of which a line is
// logged: the other end may be one release newer. A message in the wrong
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
// With "run", Heard is the number of the last Event of this command that is stored, or about to be: the
// worker sends those after it again, as far as it still has them, before anything else of that command. A worker
// keeps at least the last 256 KiB that it sent of a command until its result is acknowledged, because a hub may
// die before it has stored what it took. Without Heard the hub does not know, and nothing is sent again.
//
// With Hello.Judges the worker refuses a deployment whose project has what its host does not allow (core/policy), by a
// failed Result with the code "engine.refused"; Hello.Allow is what it allows beyond the default, so that the hub can
// refuse earlier and name the line. The worker's word is what counts.
//
// With Hello.Usage the worker answers requests of kind "usage", which name no compose service, at any time: their
// replies together are a JSON list of what the compose services of the stack used in the last half hour.
//
// With Hello.LogTimes the worker takes requests for logs with Times, see "Live requests". One without is not sent any: it
// would leave out what it does not know, and nobody could tell the times of its lines from what programs wrote.
//
// A worker has one link. When a second one says Hello the hub closes the first; what
// still arrives with an older epoch's link is not applied. After Welcome the hub sends
// the commands that are due: those that the journal did not list, and those that it lists
// as "received". A worker that did not restart knows the latter and answers them; one
// that did needs them, because it has no secrets any more.
//
// Hello.Engine identifies the container engine: the same for every worker that uses it
// (two workers may share a host), for no other engine, and after a restart of either. It is a
// digest of at most 128 bytes and is compared, never read. Empty means that the engine did not
// say yet: that is unknown, not another engine, and what is learned later is said in the
// Hello of the next link. A stack is never moved between two workers of one engine: taking
// it down on the old one would take it down on the new one.
//
// # What a command asks for
//
// A Command with Kind "deploy" has a Deploy: put this revision in place under this Compose
// project name, and verify it. The worker has three phases:
//
//	pull    fetch the Content that it lacks (below), then images: those that are missing, or all
//	        with ForcePull
//	apply   make Compose so: create what is missing, recreate what differs or was changed by hand
//	        (below), or all with Recreate; remove orphans with RemoveOrphans. RecreateNetworks takes
//	        the project down before, RecreateVolumes with its volumes.
//	verify  every compose service is healthy (or running, where it declares no health check; or
//	        exited with 0, where it is not restarted) within HealthSeconds, and stays so for StableSeconds
//
// Every container gets the labels dev.berth.stack, dev.berth.revision, dev.berth.commit and
// dev.berth.deployment of the Deploy that created it; one that did not have to be recreated keeps its own.
// Compose refers to mounted files below core.ContentRoot and core.StateRoot, which the worker
// replaces by folders of its own, and to secret variables by name; their values are in Secrets.
//
// The worker cannot tell why it is asked. A rollback, a repair of drift, a retry and the
// putting back of the last good revision after a failure are all a deploy: of an older revision, or of
// the same one again. When a restore follows a failed deployment both commands carry the same
// Deployment, with different IDs and different Revisions; the second is sent after the first
// one's Result. The order of revisions means nothing to the worker.
//
// A Command with Kind "teardown" has a Teardown: remove the project's containers and networks,
// its volumes and state folder too with Volumes, and what the worker recorded of the stack. Where
// nothing is left it succeeds. What the hub does with its own row of the stack afterwards
// is not the worker's business: the row goes when the stack was deleted, and stays when the stack
// was moved to another worker, or could not be.
//
// Commands of one stack run one at a time, in the order in which they came. Between stacks
// there is no order; a worker bounds how many run at once, and refuses what it cannot even
// queue by a failed Result, without Accepted. Runs, below, are counted apart.
//
// # Runs
//
// A Command with Kind "run" has a Run: one container of a job, from its creation to its end. It is sent only
// to a worker whose Hello says Runs. The worker
//
//	judges   Definition again, by the rules of core/jobs; what they forbid fails before anything is touched
//	provides the files of Configs, as the Content of a deployment, and the image, unless the host has it
//	creates  the container under the name Container, through the engine's API: no word of Definition is read by
//	         a shell or as an option. The image's entrypoint gets Command as it stands; Variables and Secrets are
//	         its environment, Resources.CPU and .Memory its limits. It is not restarted by the engine.
//	starts   it, and says so in an Event with Started
//	follows  its output, which becomes Events without the values of Secrets, and
//	settles  by a Result with ExitCode and RanMS. The container stays until that is acknowledged.
//
// The container carries the labels dev.berth.run, dev.berth.job, dev.berth.commit, dev.berth.command (the id and attempt
// of the command, with a slash between) and dev.berth.worker; no stack's. What it is like is not told in Observed.
//
// Command.Seconds bounds the time until the container starts, together with Resources.Timeout, which is counted
// from its start, by the engine's clock when the worker was restarted. A container whose time is over, and
// one of a command that is cancelled, forgotten or superseded, gets SIGTERM, ten seconds, SIGKILL.
//
//	succeeded  ExitCode 0
//	failed     "run.exit" another ExitCode; "run.timeout"; "run.out_of_memory"; or it could not begin: no ExitCode
//	cancelled  with an ExitCode if it had begun
//	unknown    "run.lost": it had begun, and its container is gone
//
// A worker that stops, or dies, leaves the container alone, and the next one finds it by its name, without
// waiting for the hub: what runs is followed on, what has ended is settled by its exit code. What was never started
// waits for its Command, because the secrets are gone; it is created once, whatever is in the way. For one (ID, Attempt)
// no container is started that follows another.
//
// Event.LogTo says, in the worker's own words, how far the container's log is told with it. The hub stores it
// with the number of the Event, and gives the last one back in Instruction.LogTo, with Heard: a worker that was
// restarted reads the engine's log on from there, so that no line is missing or doubled. Started may be
// said more than once, RanMS after the fact; the first one counts.
//
// # The life of a command
//
//	hub     Command     its row says "sent", committed
//	worker  Accepted    its journal says "received", on disk (fsync)
//	worker  Event …     nothing durable; numbered from 1, a gap means dropped lines, a number that was had is dropped
//	worker  Result      its journal says "result", on disk (fsync)
//	hub     ResultAck   the transaction that ends the command is committed
//	worker              prunes its journal
//
// No Result goes before Accepted; the first Events may, as they are sent beside it.
// (ID, Attempt) is the idempotency key. A Command that the worker knows already is
// answered by Accepted, and by Result where there is one, and not done again. A real retry comes
// with a higher Attempt, and is done: an older attempt that still runs is stopped without a
// Result, and one that comes late is not answered at all. Command.Epoch is the epoch of the link;
// a worker refuses another by closing the link. Seconds is what is left of the deadline: a duration,
// because clocks differ; each end measures it on its own monotonic clock. When it has
// passed the worker stops as after Cancel and sends a Result with status "failed" and code
// "command.timeout".
//
// Cancel asks to stop: what the worker started for the command, programs included, gets
// SIGTERM, ten seconds, SIGKILL; containers of stacks are left as they are. The Result still comes, "cancelled",
// or what it was if the command ended first. Cancel of an unknown (ID, Attempt) leaves a tombstone in the
// journal, a Result "cancelled", so that a Command which arrives late is answered with it and not
// started. Cancel after the end repeats the Result.
//
// A worker that is stopped takes no more commands, gives those that run a few seconds, and then
// leaves them in its journal as "received". Whatever ends a worker, the next one finds a command
// in one of three states:
//
//	no entry   it was never accepted: the hub delivers it again
//	received   it may have begun. The hub delivers it again, same ID and Attempt; the worker looks at its
//	           records and at the labels of the containers: what was applied is verified only, otherwise it
//	           goes on with what is missing. A recreation is not begun a second time.
//	result     it is over: the Result is sent until it is acknowledged
//
// Nothing of this needs the hub to be there: a command that was accepted runs to its end while
// no link exists, and its Result waits. The journal holds no secret: after a restart of the
// worker, values are gone. A worker whose disk is full refuses new commands by a failed
// Result with code "worker.disk", and has kept room for the results of those it has accepted.
//
// In a Result "failed", Code and Error say why. Service names the compose service whose container
// made it fail, and Lines holds what that container wrote last, without the values of Secrets; both are
// empty where the failure was no container's. Phases are all of the worker's phases, those not reached
// as "skipped". Observed is what runs after the command, when the engine says.
//
// Event numbers rise by one within a run of the worker. One that goes on with a command after a
// restart begins a new range far above, so that numbers never repeat. Lines for which no link
// had room are dropped, oldest first, and a line says how many are missing; phases are not
// dropped, and Result repeats them. The hub stores the number of the last Event together with what the
// Events said; it drops those that it has, and says in the log how many are missing before one that jumps, whichever
// hub had the link before. Result.Events is the number of the last Event that there was, sent
// or dropped; the hub says in the log what of them it had not received when the Result ended the
// command.
//
// Result may overtake Events, because control goes before bulk. A worker that wants its last
// lines seen in time waits, briefly, until they are written.
//
// # Content
//
// Deploy.Content and Run.Configs name files by digest. For a file that the worker lacks it sends BlobWant
// with the command's id, and the hub answers with BlobChunks in order of Offset, from 0, the
// last one with Last. A chunk with Error ends the blob without data. Both ends may have several
// blobs under way; the chunks of one digest are never mixed with a second answer for it. The worker checks
// the SHA-256 of the whole before it uses a byte. A frame has to arrive within the
// receiver's patience: on a slow link, smaller chunks than MaxBlobChunk are the sender's choice.
//
// The worker keeps what it fetched while containers may mount it: what the current, the previous
// and the revision being tried need, and what any container's revision label names. The rest
// goes after the next deployment that succeeds, or the teardown.
//
// # Observation and metrics
//
// Observed tells what runs: with Complete after Welcome and from time to time, for single stacks
// after a change. A worker follows its engine's events, so that a change is told within about a
// second; where it cannot, it looks every few seconds. An engine that does not answer makes the worker
// silent, because unknown is not nothing. A report of everything that takes several messages is sent in
// Parts, one after the other, none of them Complete: once the hub has had all of them in order, stacks that none
// of them listed run here no more. Reports of single stacks may come in between, and leave that as it is.
//
// ContainerState.Changed names what a hand has changed of a container since the last
// deployment of its stack was verified here: "image", "memory limit", "networks", names for people of at
// most 64 bytes; the one name "container" says that somebody else made it, though it carries the stack's
// labels, and the name "stopped" that somebody stopped or killed it and it has not run since. The engine
// tells who ended a container only as it happens: what was stopped while no worker followed the engine's
// events counts as having ended by itself. The name "foreign", alone, marks what a person put into the stack's
// project: no stack made it, and no command touches it. The worker compares with keyed digests that it took when the deployment was verified, and
// keeps no values. It claims nothing while a command of the stack runs, nor before the first
// deployment was verified; after one that was not, only of containers that this left alone. Starting and restarting change nothing in this sense. A stop
// that was a Request has the name "halted" in place of "stopped"; what a command stops does not count. What is missing, too many,
// or stopped although the engine should keep it running is the hub's to find out, from the revision. When
// such a stack is deployed again, the worker starts what is stopped and recreates the compose services whose
// containers are Changed otherwise, though their definition is the same.
//
// Snapshot is the worker's metrics in the Prometheus text format. The first on a link, and every tenth, has
// all of them. To a hub whose Welcome says Changes the others have only the families that are not as they
// were, and name those that ended.
//
// # Live requests
//
// Request asks for something now: logs, start, stop, restart of a compose service. The hub chooses an ID,
// unique on the link. The worker answers with Replies, any number, the last one with
// Last; failure stands in that one, in Kind, Code and Error. RequestCancel ends it early. Neither outlives
// the link, and nothing of it is journaled. A request for logs says which entries of the
// service's environment hold secrets, and the worker takes what its containers have there out of the log.
//
// With Request.Times each line begins with the time at which the container wrote it, as its engine noted that, in UTC:
//
//	2026-03-14T15:09:26.535897932Z web-1 | listening
//
// always RFC 3339 with nine digits after the second and a Z, then one space; what the line would be without Times, here
// with the name of one of several containers, follows. A line that the worker has to break has the same time
// before each piece. Times stand in no secret: one of several lines is taken out as without them, with the time of its first.
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
