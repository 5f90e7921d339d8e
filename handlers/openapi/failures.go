package openapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"berth/core/access"
	"berth/handlers/guard"
)

// problemMedia is the media type of all failures.
const problemMedia = "application/problem+json"

// failures returns the statuses of the problems that a route may answer with, in order:
// those that follow from its rule, method, path and body, and those that its row adds.
func (r Route) failures() []int {
	all := append([]int{http.StatusInternalServerError}, r.Problems...)
	if r.Rule.Surface != guard.Probe {
		all = append(all, http.StatusTooManyRequests, http.StatusServiceUnavailable)
	}
	if r.Rule.Surface == guard.API || r.Rule.Surface == guard.Scrape {
		all = append(all, http.StatusUnauthorized) // a key that is present must be good, even where none is needed
	}
	capability := r.Rule.Capability
	if capability != access.Public && capability != access.SignedIn || !r.reads() {
		all = append(all, http.StatusForbidden) // the role, or a page of another site
	}
	if strings.Contains(r.Pattern, "{") {
		all = append(all, http.StatusNotFound)
	}
	if !r.reads() && (capability == access.Operate || capability == access.Administer) {
		all = append(all, http.StatusConflict)
	}
	if r.Request != nil {
		all = append(all, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	}
	if r.Rule.Surface == guard.API {
		all = append(all, http.StatusBadRequest) // a query parameter that is not described
	}
	if len(r.Query) > 0 {
		all = append(all, http.StatusUnprocessableEntity)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// failureTexts say what each status means, for all routes alike.
var failureTexts = map[int]string{
	http.StatusBadRequest:            "The request cannot be understood: its body is not JSON, or has an unknown or repeated field, or a value of the wrong type; or a query parameter is unknown or repeated.",
	http.StatusUnauthorized:          "There is no credential, or it is not good, or not any more. An API key that is sent must be good, even where a session would do.",
	http.StatusForbidden:             "The role does not permit this, or a page of another site caused the request.",
	http.StatusNotFound:              "There is no such thing.",
	http.StatusConflict:              "The state of things does not permit this now; the detail says what is in the way.",
	http.StatusRequestEntityTooLarge: "The body is too large.",
	http.StatusUnsupportedMediaType:  "The body is not sent as application/json in UTF-8 without encoding.",
	http.StatusUnprocessableEntity:   "A value is not allowed; fields names each.",
	http.StatusTooManyRequests:       "Too many requests, or too many tries, in a short time.",
	http.StatusInternalServerError:   "Something went wrong on the server's side; its log has more under the request's id.",
	http.StatusServiceUnavailable:    "Something that is needed is away or overloaded, or the request took too long.",
}

// failureName names a problem's response among the components: "NotFound".
func failureName(status int) string {
	return strings.ReplaceAll(http.StatusText(status), " ", "")
}

// addFailures puts the responses of all problems into the components.
func addFailures(c *components, problem *schema) {
	for _, status := range slices.Sorted(maps.Keys(failureTexts)) {
		r := &response{Description: failureTexts[status], Content: map[string]mediaType{problemMedia: {problem}}}
		switch status {
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			r.Headers = map[string]header{"Retry-After": {"Seconds after which another try makes sense.", &schema{Type: "integer"}}}
		case http.StatusUnauthorized:
			r.Headers = map[string]header{"WWW-Authenticate": {"How to prove who you are.", &schema{Type: "string"}}}
		}
		c.Responses.add(failureName(status), r)
	}
}

// failureResponses refers to the problems that a route may answer with.
func (r Route) failureResponses() (members[*response], error) {
	var all members[*response]
	for _, status := range r.failures() {
		if failureTexts[status] == "" {
			return nil, fmt.Errorf("nobody says what status %d means; add it to failureTexts in handlers/openapi/failures.go", status)
		}
		all.add(strconv.Itoa(status), &response{Ref: "#/components/responses/" + failureName(status)})
	}
	return all, nil
}
