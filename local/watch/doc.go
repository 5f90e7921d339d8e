// Package watch holds what those load who watch Berth with Prometheus and Grafana: configurations,
// recording rules, alerts and a dashboard. It has no code of its own.
//
// The tests run the whole program with a worker and a real Prometheus before it that is configured as
// these files say. They hold the rules against promtool, and every name of a metric against those that
// Berth's packages expose. Start with prometheus.yaml.
package watch
