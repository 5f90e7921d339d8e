// Package openapi owns the description of the HTTP interface: the OpenAPI 3.1 document
// that is made from the route table and the Go types, and the page that shows it.
//
// Nothing is described twice. Paths, methods and capabilities come from the table,
// schemas from the types that handlers decode and answer with, the meaning of types,
// fields and constants from their comments: those are not there at run time, so they are
// kept in meanings.json, and a test of package handlers compares that with the source and
// rewrites it with -update. Which failures a route may answer with follows from its rule,
// method, path and body; see failures.go for what a row has to add by itself.
//
// The package must not know any single route or noun, and it decides nothing about
// requests. Start with operation.go, which says what a row tells, then document.go;
// schema.go turns a type into a schema, page.go a document into HTML, site.go serves both.
package openapi
