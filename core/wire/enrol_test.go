package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"berth/core/fault"
)

func TestEnrolmentBodies(t *testing.T) {
	body, _ := json.Marshal(sampleEnrol())
	if got, err := DecodeEnrol(body); err != nil || !reflect.DeepEqual(got, sampleEnrol()) {
		t.Errorf("DecodeEnrol = %+v, %v", got, err)
	}
	body, _ = json.Marshal(sampleEnrolled())
	if got, err := DecodeEnrolled(body); err != nil || !reflect.DeepEqual(got, sampleEnrolled()) {
		t.Errorf("DecodeEnrolled = %+v, %v", got, err)
	}
}

func TestDecodeEnrolRefuses(t *testing.T) {
	good := `{"protocol":1,"hostname":"h","tags":[],"version":"1","os":"linux","arch":"arm64"}`
	if _, err := DecodeEnrol([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ body, code string }{
		"nothing":          {"", CodeMalformed},
		"trailing data":    {good + "{}", CodeMalformed},
		"a long body":      {good + strings.Repeat(" ", MaxEnrol), CodeMalformed},
		"not UTF-8":        {strings.Replace(good, `"h"`, "\"\xff\"", 1), CodeMalformed},
		"deep nesting":     {`{"x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "}", CodeMalformed},
		"protocol zero":    {strings.Replace(good, `:1,`, `:0,`, 1), CodeInvalid},
		"no host name":     {strings.Replace(good, `"h"`, `""`, 1), CodeInvalid},
		"a tag with space": {strings.Replace(good, `[]`, `["a b"]`, 1), CodeInvalid},
		"an unknown field": {strings.Replace(good, `{`, `{"later":1,`, 1), ""},
	} {
		_, err := DecodeEnrol([]byte(c.body))
		if c.code == "" && err != nil || c.code != "" && fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
	}
	for name, body := range map[string]string{
		"no worker":    `{"heartbeat_seconds":30,"time":"2026-03-14T15:09:26Z"}`,
		"no heartbeat": `{"worker_id":"` + fixed("wrk") + `","time":"2026-03-14T15:09:26Z"}`,
		"no clock":     `{"worker_id":"` + fixed("wrk") + `","heartbeat_seconds":30}`,
	} {
		if _, err := DecodeEnrolled([]byte(body)); fault.CodeOf(err) != CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
