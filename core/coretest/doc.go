// Package coretest owns, for each port of the core, the contract that every
// implementation must pass and a fake that passes it. A test of an adapter runs the
// contract against the real thing; other tests use the fake and may believe it.
//
// It must not know any adapter, and only tests use it. There is one group of files per
// port, named after it; start with git.go. disk.go has a real disk for whatever is to
// outlive a full or a failing one.
package coretest
