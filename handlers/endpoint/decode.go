package endpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"berth/core/fault"
)

// MaxBody is the largest JSON body, in bytes.
const MaxBody = 1 << 20

// Decode reads the request's JSON object into a T, which is a struct. It refuses a media type other
// than application/json in UTF-8 (Unsupported), more than MaxBody bytes (TooLarge), and,
// as Malformed: invalid UTF-8, fields that T does not have (spelled exactly), a field
// given twice, nesting deeper than 32, a value of the wrong type, and anything after the object.
// Whether the values make sense is for the caller to check.
func Decode[T any](r *http.Request) (T, error) {
	var v T
	if err := checkMediaType(r.Header); err != nil {
		return v, err
	}
	body, err := readBody(r)
	if err != nil {
		return v, err
	}
	if err := checkShape(body, reflect.TypeFor[T]()); err != nil {
		return v, err
	}
	if err := json.Unmarshal(body, &v); err != nil {
		var zero T
		return zero, wrongValue(err)
	}
	return v, nil
}

// DecodeOptional is Decode for a body that may be left out, which is as good as an empty object.
func DecodeOptional[T any](r *http.Request) (T, error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		var v T
		return v, nil
	}
	return Decode[T](r)
}

func checkMediaType(h http.Header) error {
	mediaType, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset := params["charset"]
	if err != nil || mediaType != "application/json" || (charset != "" && !strings.EqualFold(charset, "utf-8")) {
		return fault.New(fault.Unsupported, "request.media_type", "The body must be JSON: send it with Content-Type: application/json.")
	}
	if h.Get("Content-Encoding") != "" {
		return fault.New(fault.Unsupported, "request.encoding", "The body must be sent as it is, without Content-Encoding.")
	}
	return nil
}

// Body reads at most MaxBody bytes, as they came: TooLarge beyond, Malformed when they stop before their end.
func Body(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	var over *http.MaxBytesError
	if errors.As(err, &over) || len(body) > MaxBody {
		return nil, fault.New(fault.TooLarge, "request.too_large", "The body is larger than %d bytes, which is more than this route takes.", MaxBody)
	}
	if err != nil {
		return nil, malformed("request.unreadable", "", "The body could not be read to its end.").Because(err)
	}
	return body, nil
}

func readBody(r *http.Request) ([]byte, error) {
	body, err := Body(r)
	if err == nil && !utf8.Valid(body) {
		return nil, malformed("request.not_utf8", "", "The body is not valid UTF-8.")
	}
	return body, err
}

// wrongValue turns what encoding/json says into a fault that shows no value.
func wrongValue(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return malformed("request.wrong_type", wrong.Field, fmt.Sprintf("must be %s, not %s", wanted(wrong.Type), wrong.Value))
	}
	return malformed("request.wrong_value", "", "The body holds a value that cannot be read, such as a time that is not in RFC 3339 form.").Because(err)
}

// wanted names a Go type as a client knows it.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number in range"
}

// malformed makes the fault for a body that cannot be understood; path may be empty.
func malformed(code, path, problem string) *fault.Error {
	if path == "" {
		return fault.New(fault.Malformed, code, "%s", problem)
	}
	e := fault.New(fault.Malformed, code, "%s: %s", path, problem)
	e.Fields = []fault.Field{{Path: path, Problem: problem}}
	return e
}
