package wire

import (
	"encoding/json"
	"reflect"
)

// direction says which end may send a message.
type direction int

const (
	fromWorker direction = 1 << iota
	fromHub
	fromBoth = fromWorker | fromHub
)

// urgency says which of a link's two queues a message waits in.
type urgency bool

const (
	control urgency = true
	bulk    urgency = false
)

// kind is one row of the table of messages.
type kind struct {
	name    string // as it stands at the beginning of a frame
	from    direction
	urgency urgency
	goType  reflect.Type
	decode  func(body []byte) (any, error)
	check   func(c *complaints, msg any)
}

// kinds is every message that travels in frames. Enrol and Enrolled travel as HTTP
// bodies. Observed is control because it must not be overtaken by a Result that is newer.
var kinds = []kind{
	define("hello", fromWorker, control, checkHello),
	define("welcome", fromHub, control, checkWelcome),
	define("heartbeat", fromWorker, control, checkHeartbeat),
	define("heartbeat_ack", fromHub, control, checkHeartbeatAck),
	define("snapshot", fromWorker, bulk, checkSnapshot),
	define("observed", fromWorker, control, checkObserved),
	define("command", fromHub, control, checkCommand),
	define("accepted", fromWorker, control, checkAccepted),
	define("event", fromWorker, bulk, checkEvent),
	define("result", fromWorker, control, checkResult),
	define("result_ack", fromHub, control, checkResultAck),
	define("cancel", fromHub, control, checkCancel),
	define("blob_want", fromWorker, control, checkBlobWant),
	define("blob_chunk", fromHub, bulk, checkBlobChunk),
	define("request", fromHub, control, checkRequest),
	define("reply", fromWorker, bulk, checkReply),
	define("request_cancel", fromHub, control, checkRequestCancel),
	define("bye", fromBoth, control, checkBye),
}

func define[T any](name string, from direction, u urgency, check func(*complaints, T)) kind {
	return kind{
		name: name, from: from, urgency: u, goType: reflect.TypeFor[T](),
		decode: func(body []byte) (any, error) {
			var msg T
			err := json.Unmarshal(body, &msg)
			return msg, err
		},
		check: func(c *complaints, msg any) { check(c, msg.(T)) },
	}
}

var (
	kindByName = indexed(func(k *kind) string { return k.name })
	kindByType = indexed(func(k *kind) reflect.Type { return k.goType })
)

func indexed[K comparable](key func(*kind) K) map[K]*kind {
	index := make(map[K]*kind, len(kinds))
	for i := range kinds {
		index[key(&kinds[i])] = &kinds[i]
	}
	return index
}

func kindOf(msg any) (*kind, bool) {
	k, found := kindByType[reflect.TypeOf(msg)]
	return k, found
}

func nameOf(msg any) string {
	if k, found := kindOf(msg); found {
		return k.name
	}
	return "of an unknown type"
}

// FromWorker reports whether a worker may send msg.
func FromWorker(msg any) bool {
	k, found := kindOf(msg)
	return found && k.from&fromWorker != 0
}

// FromHub reports whether the hub may send msg.
func FromHub(msg any) bool {
	k, found := kindOf(msg)
	return found && k.from&fromHub != 0
}

// Control reports whether msg goes before bulk: log events, snapshots, blobs and
// replies wait for everything that keeps the link and the commands alive.
func Control(msg any) bool {
	k, found := kindOf(msg)
	return found && k.urgency == control
}
