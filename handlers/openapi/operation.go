package openapi

import (
	"net/http"

	"berth/core/access"
	"berth/handlers/guard"
)

// Route is one row of the route table, as far as it is described.
type Route struct {
	Method  string // one HTTP method
	Pattern string // as http.ServeMux takes it, without method
	Rule    guard.Rule
	Operation
}

// Operation is what describes a route. Pages and their assets leave it empty.
type Operation struct {
	Summary  string // what it does, in a few words
	Tag      string // the area: "users"
	Request  any    // zero value of the type that the body is decoded into; nil: no body
	Response any    // zero value of the type that is answered; nil: no body, or text where ContentType is set
	Status   int    // of success
	Query    []Param

	Detail      string // what the summary has no room for, code in backticks; may be empty
	Optional    bool   // Request may be left out, which is as good as an empty object
	RequestType string // media type of a body that is no JSON; empty: Request describes it
	ContentType string // media types of an answer that is not JSON, without parameters: "text/plain, text/html"
	Live        bool   // it tells what hubs heard last, and in its header when none is there: see endpoint.AwayHeader
	OrNoContent bool   // 204 without body may come in place of Status
	Problems    []int  // statuses of failures that do not follow from rule, method, path and body
}

// Param is one query parameter.
type Param struct {
	Name     string
	Type     string   // "string", "integer" or "boolean"
	Help     string   // meaning, unit, range, default
	Required bool     // a request without it is refused
	Words    []string // that it takes; none: any
}

// described reports whether the route belongs into the document: what programs use does,
// pages and their assets do not.
func (r Route) described() bool {
	return r.Rule.Surface != guard.Page && r.Rule.Surface != guard.Asset
}

// reads reports whether the route changes nothing.
func (r Route) reads() bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// authority says in words who may use the route.
func (r Route) authority() string {
	c := r.Rule.Capability
	if c == access.Public {
		return "Needs no credential."
	}
	text := "Needs the capability `" + string(c) + "`, which these roles have: "
	separator := ""
	for _, role := range access.Roles {
		if role.Can(c) {
			text += separator + "`" + string(role) + "`"
			separator = ", "
		}
	}
	text += "."
	if r.Rule.Surface == guard.Scrape {
		text += " Only an API key counts here, no browser session."
	}
	return text
}
