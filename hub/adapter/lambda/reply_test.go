package lambda

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// FuzzTextsAreJSON: whatever text is written, encoding/json reads it, and it takes no more than is counted.
func FuzzTextsAreJSON(f *testing.F) {
	for _, text := range []string{"", "plain", `"quoted" \ back`, "\x00\x01\b\f\n\r\t\x1f\x7f", "größe \u2028\u2029 \U0001f6a2", "bad \xff\xc3\x28\xe2\x82 bytes", "\ufffd", "</script>&<>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got string
		encoded := appendText(nil, text)
		if err := json.Unmarshal(encoded, &got); err != nil || got != strings.ToValidUTF8(text, "\ufffd") {
			t.Fatalf("%q is written as %s, and reads as %q (%v)", text, encoded, got, err)
		}
		if n := textSize([]byte(text)); strings.ToValidUTF8(text, "") == text && len(encoded)-2 > n {
			t.Errorf("%q takes %d bytes, and %d were counted", text, len(encoded)-2, n)
		}
	})
}

func TestRepliesAreWhatHostsRead(t *testing.T) {
	for name, c := range map[string]struct {
		r    reply
		want map[string]any
	}{
		"single headers": {reply{status: 200, header: map[string]string{"A": `b"`}, body: bytes.NewBufferString("x\n")},
			map[string]any{"statusCode": 200.0, "headers": map[string]any{"A": `b"`}, "isBase64Encoded": false, "body": "x\n"}},
		"none": {reply{status: 204}, map[string]any{"statusCode": 204.0, "headers": map[string]any{}, "isBase64Encoded": false, "body": ""}},
		"cookies": {reply{status: 303, header: map[string]string{"Location": "/", "B": "c"}, cookies: []string{"a=1", "b=2"}},
			map[string]any{"statusCode": 303.0, "headers": map[string]any{"Location": "/", "B": "c"}, "cookies": []any{"a=1", "b=2"}, "isBase64Encoded": false, "body": ""}},
		"lists": {reply{status: 500, description: "500 Internal Server Error", headers: map[string][]string{"Vary": {"a", "b"}, "None": {}}, body: bytes.NewBuffer([]byte{0xff})},
			map[string]any{"statusCode": 500.0, "statusDescription": "500 Internal Server Error", "multiValueHeaders": map[string]any{"Vary": []any{"a", "b"}, "None": []any{}}, "isBase64Encoded": true, "body": "/w=="}},
	} {
		var got map[string]any
		if err := json.Unmarshal(c.r.encode(), &got); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %s (%v)", name, c.r.encode(), err)
		}
	}
}
