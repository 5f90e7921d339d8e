// Package gateway stands in for what sends events to a function: API Gateway with a REST or an
// HTTP API, an Application Load Balancer, a function URL. It turns requests into the events that
// those send, and what a function answers into what those pass on, with all that they change on
// the way: decoded paths, joined headers, cookies in places of their own.
//
// What it does follows AWS's documentation of the events, and reports of what they hold where
// that is silent: paths arrive decoded from HTTP APIs and as sent from the others, the
// parameters of a query decoded from REST APIs and as sent from load balancers.
//
// Start with Gateway in gateway.go.
package gateway
