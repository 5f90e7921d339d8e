// Package ops owns what machines ask to learn how the server is: health, readiness,
// version and metrics.
//
// Health and version need no credential and tell nothing more than that. It must not know where
// the figures come from; ports hand them in.
package ops
