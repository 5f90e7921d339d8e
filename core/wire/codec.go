package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"berth/core/fault"
)

// Encode returns msg, one of this package's message structs (not a pointer), as a
// frame. What the peer would refuse is refused here: faults are Invalid "wire.invalid",
// TooLarge "wire.frame_too_large" or "wire.command_too_large", and Unsupported
// "wire.unknown_message".
//
// Texts for people (errors, messages, reasons) never make a message undeliverable: over
// MaxText they are cut, and like log text they are cleaned as Clip does. Secrets, names
// and identifiers are never altered.
func Encode(msg any) ([]byte, error) {
	k, found := kindOf(msg)
	if !found {
		return nil, unknownMessage(fmt.Sprintf("%T", msg))
	}
	msg = mend(msg)
	if err := Validate(msg); err != nil {
		return nil, err
	}
	var frame bytes.Buffer
	frame.WriteString(k.name)
	frame.WriteByte(' ')
	body := json.NewEncoder(&frame)
	body.SetEscapeHTML(false)
	if err := body.Encode(msg); err != nil {
		return nil, fault.New(fault.Invalid, CodeInvalid, "the message %s cannot be written as JSON", k.name).Because(err)
	}
	encoded := bytes.TrimSuffix(frame.Bytes(), []byte("\n"))
	if len(encoded) > MaxFrame {
		return nil, tooLarge(msg, fmt.Sprintf("it takes %d bytes, the limit is %d", len(encoded), MaxFrame))
	}
	if problem := checkShape(encoded); problem != "" {
		return nil, tooLarge(msg, problem)
	}
	return encoded, nil
}

// FitsFrame returns nil when msg can be sent, and the fault that Encode would return
// when it cannot. The hub asks before it commits a command, so that a deployment that
// no frame can carry fails with a reason instead of being tried for ever.
func FitsFrame(msg any) error {
	_, err := Encode(msg)
	return err
}

// Decode returns the message in frame as a struct value, such as Hello, validated.
// Unknown fields are ignored. Every error is a fault for which Violation is true: the
// link is closed, unless Unknown is true as well.
func Decode(frame []byte) (any, error) {
	if len(frame) > MaxFrame {
		return nil, fault.New(fault.TooLarge, CodeFrameTooLarge,
			"a frame has %d bytes, the limit is %d; the link is closed", len(frame), MaxFrame)
	}
	if !utf8.Valid(frame) {
		return nil, malformed(nil, "not valid UTF-8")
	}
	name, body, found := bytes.Cut(frame, []byte(" "))
	if !found || len(name) == 0 || len(name) > maxMessageName || len(body) == 0 || body[0] != '{' {
		return nil, malformed(nil, "not a message name, a space and a JSON object")
	}
	k, known := kindByName[string(name)]
	if !known {
		return nil, unknownMessage(string(name))
	}
	if problem := checkShape(body); problem != "" {
		return nil, malformed(nil, "refused because "+problem)
	}
	msg, err := k.decode(body)
	if err != nil {
		return nil, malformed(err, "no valid JSON of a "+k.name)
	}
	if err := Validate(msg); err != nil {
		return nil, err
	}
	return msg, nil
}

const maxMessageName = 32

// checkShape bounds what decoding body may cost: how many values it has and how deep
// they nest. It returns what is wrong, or "". It need not judge the JSON otherwise.
func checkShape(body []byte) string {
	marks, depth, inString := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch b := body[i]; {
		case inString && b == '\\':
			i++
		case b == '"':
			inString = !inString
		case inString:
		case b == '{' || b == '[':
			marks++
			depth++
		case b == '}' || b == ']':
			depth--
		case b == ',':
			marks++
		}
		if depth > maxDepth {
			return fmt.Sprintf("it nests deeper than %d", maxDepth)
		}
		if marks > maxMarks {
			return fmt.Sprintf("it has more than %d values", maxMarks)
		}
	}
	return ""
}
