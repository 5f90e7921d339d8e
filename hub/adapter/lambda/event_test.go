package lambda

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzEventsAreReadAsJSON: what encoding/json takes for an object is read, and to the same texts;
// whatever else comes ends.
func FuzzEventsAreReadAsJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, ``, `{`, `"text"`, `[1]`, `{"a":}`, `{"body":"x"`, `{"body":"x"}}`, `{"body":"x"} y`,
		`{"version":"2.0","rawPath":"/a%20b","headers":{"a":"1,2","b":"\"q\\"},"cookies":["a=1","b=2"],"requestContext":{"http":{"method":"GET","sourceIp":"::1"},"stage":"$default"},"body":"gr\u00f6\u00dfe\ud83d\udea2","isBase64Encoded":true}`,
		` { "httpMethod" : "GET" , "multiValueHeaders" : { "a" : [ "1" , "2" ] , "b" : [ ] } , "queryStringParameters" : null , "requestContext" : { "elb" : { } , "authorizer" : [ 1 , -2.5e3 , true , { "x" : [ ] } ] } , "body" : null }`,
		`{"body":5,"path":["a"],"headers":"x","multiValueHeaders":[],"requestContext":7,"cookies":{"a":"b"}}`, `{"body":"\\","path":"\\\""}`, `{"body":"a","body":"b"}`, `{"BODY":"a","bo\u0064y":"b"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		e, ok := read(payload)
		e.header()
		e.decodedQuery()
		e.sentQuery()
		var want map[string]json.RawMessage
		if json.Unmarshal(payload, &want) != nil || want == nil || !utf8.Valid(payload) {
			return
		}
		if !objects(want, "requestContext") || !lists(want, "cookies") {
			return // of another shape than any event
		}
		if !ok {
			t.Fatalf("%s is an object, and was not read", payload)
		}
		for name, got := range map[string]string{"version": e.version, "httpMethod": e.method, "rawQueryString": e.rawQuery, "body": e.body} {
			var text string
			_ = json.Unmarshal(want[name], &text) // something else than a text is none
			if got != text {
				t.Errorf("%s of %s is %q, want %q", name, payload, got, text)
			}
		}
	})
}

func objects(of map[string]json.RawMessage, name string) bool {
	var object map[string]json.RawMessage
	if of[name] != nil && json.Unmarshal(of[name], &object) != nil {
		return false
	}
	for _, inner := range []string{"http", "identity"} {
		var inside map[string]json.RawMessage
		if object[inner] != nil && json.Unmarshal(object[inner], &inside) != nil {
			return false
		}
	}
	return true
}

func lists(of map[string]json.RawMessage, name string) bool {
	var list []json.RawMessage
	return of[name] == nil || json.Unmarshal(of[name], &list) == nil
}

// TestEventsSayTheirForm, where their kinds differ.
func TestEventsSayTheirForm(t *testing.T) {
	for text, want := range map[string]bool{`{"requestContext":{"elb":{"targetGroupArn":"a"}}}`: true, `{"requestContext":{}}`: false, `{}`: false} {
		if e, ok := read([]byte(text)); !ok || e.elb != want {
			t.Errorf("%s comes from a load balancer: %v, %v", text, e.elb, ok)
		}
	}
	for text, want := range map[string]bool{`{"multiValueHeaders":{"a":["1"]}}`: true, `{"multiValueHeaders":{}}`: false, `{"headers":{"a":"1"}}`: false, `{"multiValueHeaders":null}`: false} {
		if e, ok := read([]byte(text)); !ok || e.listed() != want {
			t.Errorf("%s has lists: %v, %v", text, e.listed(), ok)
		}
	}
}
