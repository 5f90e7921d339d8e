// Package access owns who may do what: roles, capabilities, principals, and the audit
// record of what was done.
//
// It must not know HTTP or how a principal proved who it is; core/identity does that.
// Start with Principal and Role.Can.
package access
