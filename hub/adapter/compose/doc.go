// Package compose owns the form in which a stack's Compose project travels from the
// hub to a worker, and its two ends:
//
//   - render (hub) reads Compose files from a commit and writes the rendered form;
//   - engine (worker) reads the rendered form and makes the host's containers match it.
//
// The two ends are apart because the engine brings the Compose SDK and a Docker client
// with it, some 25 MB, and the hub needs neither. This package holds only what both
// have to agree on: the names of labels, and how a secret stands in rendered text.
//
// The rendered form is one YAML document, fully resolved. Three kinds of text in it
// are not yet final: "${NAME}" stands for a secret variable, "$$" for a dollar sign,
// and paths below core.ContentRoot and core.StateRoot for folders that only the worker
// knows. It must not know Git, the store or the wire. Start reading at render.Reader.
package compose
