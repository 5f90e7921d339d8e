// Package prometheus runs a real Prometheus for tests: on a port of its own, with a configuration of the
// test's and an empty database below a temporary folder. It leaves nothing behind: the server ends with
// the test process, however that ends.
//
// Distribution is the one that a distribution ships, and brings promtool, which judges rules. Current is
// one of today, which local/make/real-prometheus.sh builds of the module server beside this package and
// keeps outside the checkout. Start with Start in server.go; ask.go has what a test asks it.
package prometheus
