package gateway

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"berth/core/config"
)

// answer is what a function says, in any form.
type answer struct {
	Status      int                 `json:"statusCode"`
	Description string              `json:"statusDescription"`
	Headers     map[string]string   `json:"headers"`
	Multiple    map[string][]string `json:"multiValueHeaders"`
	Cookies     []string            `json:"cookies"`
	Body        string              `json:"body"`
	Encoded     bool                `json:"isBase64Encoded"`
}

// Response returns what the host sends to the client for what a function said. What the host
// does not look at in this form is not looked at here.
func (g *Gateway) Response(r *http.Request, said []byte) (*http.Response, error) {
	var a answer
	if err := json.Unmarshal(said, &a); err != nil || a.Status < 200 {
		return nil, fmt.Errorf("the function said %.200q, which is no answer", said)
	}
	header := http.Header{}
	if g.Form != config.EventALB || g.Plain {
		for name, value := range a.Headers {
			header.Add(name, value)
		}
	}
	switch {
	case g.Form == config.EventRESTv1, g.Form == config.EventALB && !g.Plain:
		for name, values := range a.Multiple {
			for _, value := range values {
				header.Add(name, value)
			}
		}
	case g.Form != config.EventALB:
		for _, cookie := range a.Cookies {
			header.Add("Set-Cookie", cookie)
		}
	}
	if g.Form == config.EventALB && !strings.HasPrefix(a.Description, strconv.Itoa(a.Status)+" ") {
		return nil, fmt.Errorf("the function described status %d as %q", a.Status, a.Description)
	}
	body := []byte(a.Body)
	if a.Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(a.Body); err != nil {
			return nil, err
		}
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	return &http.Response{Status: strconv.Itoa(a.Status) + " " + http.StatusText(a.Status), StatusCode: a.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r}, nil
}
