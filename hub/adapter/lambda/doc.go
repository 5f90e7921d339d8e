// Package lambda runs an http.Handler on AWS Lambda, behind API Gateway (REST v1 or HTTP API
// v2), an Application Load Balancer or a function URL.
//
// aws-lambda-go talks to the host and aws-lambda-go-api-proxy turns an event into a request
// and an answer into an event. This package stands in front of and behind the latter, because
// what reaches a handler must be what net/http would have handed it, and what leaves must be
// what net/http would have sent: it reads address, header and client from the event by itself,
// lets the adapter do what it does right (bodies of requests, contexts, the shape of answers), and
// buffers the answer with net/http's rules. defects_test.go shows each defect on the bare adapter; one that
// is mended there makes its test fail, and what handles it here can go.
//
// Which form events have is configured and never guessed: see config.EventForm. The package
// must not know what any route does. Start with New in handler.go, then facts.go and serve.go.
package lambda
