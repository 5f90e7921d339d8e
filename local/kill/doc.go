// Package kill runs the real programs in processes of their own and kills them, so that tests
// can prove that nothing accepted is lost or done twice, whatever ends when.
//
// A Process may carry a Point: strace kills it at the entry of its N-th call of one system
// call, counted for each of its threads. A Site is one installation: server, worker, Git host
// and their data, which stay while the processes come and go. A Load keeps asking for
// deployments and for runs of jobs, some of which fire by themselves, and remembers those that were accepted; a Host
// knows what a worker really did.
//
// The worker is either hub/cmd/worker on a real container engine, or folderworker, which is the
// same worker on an engine that keeps its containers in a folder and so costs no time.
//
// The package must not know what the server decides: it asks through the REST API and looks at
// files. Start with New, then kill_test.go.
package kill
