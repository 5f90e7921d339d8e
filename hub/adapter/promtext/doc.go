// Package promtext reads the Prometheus text format with prometheus/common/expfmt: it is
// the metrics.Validator.
//
// What comes in was written by a worker and is not trusted. What goes out is encoded anew
// from what was understood, so it is well-formed whatever came in. It must not know where
// snapshots come from or how they are kept. Start with Validate.
package promtext
