package lambda

import (
	"encoding/json"
	"fmt"

	"berth/core/config"
)

// settings are what makes a host send events of a form, for people who have connected another.
var settings = map[config.EventForm]string{
	config.EventRESTv1:      "a REST API of API Gateway, with Lambda proxy integration",
	config.EventHTTPv2:      "an HTTP API of API Gateway, with payload format version 2.0",
	config.EventALB:         "a target group of an Application Load Balancer",
	config.EventFunctionURL: "a function URL with the invoke mode BUFFERED",
}

// anotherForm says what came instead of an event of the form that is configured. It shows
// nothing of the event, which may hold a password.
func anotherForm(configured config.EventForm, payload []byte) error {
	came, known := formOf(payload)
	next := "connect it to " + settings[configured]
	if known != "" {
		next = fmt.Sprintf("set BERTH_EVENT=%s, or %s", known, next)
	}
	return fmt.Errorf("this function was sent %s, but BERTH_EVENT is %s: %s", came, configured, next)
}

// formOf says in words what an event is, and of which form it is, if of one.
func formOf(payload []byte) (came string, form config.EventForm) {
	var e struct {
		Version        string `json:"version"`
		Method         string `json:"httpMethod"`
		RequestContext struct {
			ELB    *json.RawMessage `json:"elb"`
			HTTP   *json.RawMessage `json:"http"`
			Stage  string           `json:"stage"`
			Domain string           `json:"domainName"`
		} `json:"requestContext"`
	}
	if json.Unmarshal(payload, &e) != nil {
		return "something that is no event of a request", ""
	}
	about := e.RequestContext
	switch {
	case about.ELB != nil:
		form = config.EventALB
	case e.Version == "2.0" && about.HTTP != nil && ofFunctionURL(about.Domain):
		form = config.EventFunctionURL
	case e.Version == "2.0" && about.HTTP != nil:
		form = config.EventHTTPv2
	case e.Version == "1.0" && e.Method != "":
		return "an event of an HTTP API with payload format version 1.0, in which paths are damaged", ""
	case e.Method != "" && about.Stage != "":
		form = config.EventRESTv1
	default:
		return "an event that is no request, such as a schedule's or the console's test event", ""
	}
	return fmt.Sprintf("an event of the form %s", form), form
}
