package wire

import (
	"errors"
	"strings"

	"berth/core/fault"
)

// The codes of this package's faults.
const (
	CodeMalformed       = "wire.malformed"         // not a frame at all, or one that costs too much to read
	CodeUnknownMessage  = "wire.unknown_message"   // a name or a Go type that is not in the table
	CodeInvalid         = "wire.invalid"           // a message with a value that is not allowed
	CodeWrongDirection  = "wire.wrong_direction"   // a message that this end never sends
	CodeFrameTooLarge   = "wire.frame_too_large"   // over MaxFrame, or over a limit of its parts
	CodeCommandTooLarge = "wire.command_too_large" // the same for a Command: the deployment cannot be sent
)

// Violation reports whether err says that a peer broke the protocol, in contrast to a
// connection that failed. It looks at the outermost fault.
func Violation(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && strings.HasPrefix(f.Code, "wire.")
}

// Unknown reports whether err says that a message is none of this release: the peer is newer, and the link goes on.
func Unknown(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Code == CodeUnknownMessage
}

// WrongDirection is the fault for a message that the sender must not send.
func WrongDirection(msg any) error {
	return fault.New(fault.Forbidden, CodeWrongDirection,
		"the message %s does not travel in this direction; the link is closed", nameOf(msg))
}

func malformed(cause error, problem string) error {
	return fault.New(fault.Malformed, CodeMalformed, "a frame is %s; the link is closed", problem).Because(cause)
}

func unknownMessage(name string) error {
	return fault.New(fault.Unsupported, CodeUnknownMessage,
		"the message %q is unknown to this version of the protocol; run hub and worker at most one release apart", name)
}

func tooLarge(msg any, problem string) error {
	if command, is := msg.(Command); is {
		return fault.New(fault.TooLarge, CodeCommandTooLarge,
			"the %s command cannot be sent to a worker: %s; make the Compose file smaller, or mount fewer files", command.Kind, problem)
	}
	return fault.New(fault.TooLarge, CodeFrameTooLarge, "the message %s cannot be sent: %s", nameOf(msg), problem)
}
