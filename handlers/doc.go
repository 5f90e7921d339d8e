// Package handlers owns the HTTP surface as data: the route table, and the mux that is
// made from it.
//
// Every endpoint is one Route with its capability, its surface and what documents it; a
// table-walking test tries each with every kind of credential, so a new row is covered by
// being there. Nothing here outlives a request: a handler writes what was asked, commits,
// nudges the hub and returns. The package reaches core, never core/store or the hub; what
// handlers need comes in through Deps.
//
// The rooms: endpoint is the error-returning handler, guard decides who may, api is the
// REST interface (one file per operation), ui the pages, ops health and metrics, openapi
// the description of all that, made from the table. To add a route, write its handler in
// one of those, a row in the routes_<area>.go file that it belongs to, what it needs into
// that area's part of Deps, and a good request into openapi_answers_test.go, where it is
// held against the description. Start with Routes.
package handlers
