package wire

// ProtocolVersion is what Enrol.Protocol says. Ends one release apart work together:
// unknown fields are ignored, and a new message is sent only to an end that knows it.
const ProtocolVersion = 1

// OldestProtocol is the oldest that a hub takes a worker with.
const OldestProtocol = 1

// Where the worker port is asked, and the header that carries the worker's token.
const (
	EnrolPath   = "/worker/enrol" // POST Enrol, answered with Enrolled
	LinkPath    = "/worker/link"  // GET, upgraded to a WebSocket that carries frames
	TokenHeader = "X-Worker-Token"
)

// Limits in bytes.
const (
	MaxFrame     = 1 << 20   // one message with its name, as it travels
	MaxLogChunk  = 64 << 10  // Event.Log and Reply.Data
	MaxBlobChunk = 256 << 10 // BlobChunk.Data, before base64
	MaxCompose   = 512 << 10 // Deploy.Compose, before base64
	MaxSnapshot  = 512 << 10 // Snapshot.Text
	MaxSecret    = 256 << 10 // one value of Deploy.Secrets
	MaxText      = 4 << 10   // texts for people: errors, phase messages, reasons
	MaxLines     = 16 << 10  // Result.Lines
	MaxTrait     = 64        // one name of ContainerState.Changed
	MaxEnrol     = 16 << 10  // the body of an Enrol request or of its answer
	MaxLogTo     = 64        // Event.LogTo
	MaxWords     = 64 << 10  // the words of a run's command altogether
	MaxConfig    = 1 << 20   // one file of Run.Configs
)

// Limits in number.
const (
	MaxTags       = 32     // of a worker
	MaxJournal    = 1000   // entries of Hello.Journal and Welcome.Settle
	MaxStacks     = 2000   // of Observed
	MaxParts      = 50     // of a complete report
	MaxEnded      = 2000   // of Snapshot
	MaxContainers = 500    // of StackObserved
	MaxPorts      = 4096   // of one container
	MaxPhases     = 16     // of Result
	MaxChanged    = 32     // of one container: the traits that a hand has changed
	MaxContents   = 1000   // of Deploy.Content
	MaxFiles      = 10_000 // of Deploy.Content altogether
	MaxSecrets    = 1000   // of Deploy.Secrets
	MaxTail       = 10_000 // lines, Request.Tail
	MaxCommand    = 1000   // words of a run's command
	MaxMounts     = 100    // of a run: volumes, and as many configs
)

const (
	maxAttempt   = 1_000_000
	maxNumber    = 1 << 53   // of counters: what every JSON implementation holds exactly
	maxSeconds   = 8 * 86400 // of deadlines: a run of a job may take seven days, and has to wait and to be pulled before
	maxContent   = 64 << 20  // bytes of one blob, and of all content of a deployment
	maxPath      = 4096
	maxName      = 255
	maxEngine    = 128 // bytes, Hello.Engine
	maxAllowance = 512 // bytes, one of Hello.Allow
	maxImage     = 1024
	maxHostname  = 253
	maxBeat      = 3600 // seconds between heartbeats
	maxRetry     = 3600 // seconds, Bye.RetrySeconds

	// A frame of "[{},{},…" decodes to many times its size. Commas and opening brackets
	// outside of strings bound the number of values, and so the memory, before decoding.
	maxMarks = 64 << 10
	maxDepth = 32
)
