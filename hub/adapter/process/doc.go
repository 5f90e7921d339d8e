// Package process tells what this very process uses: memory, processor time, files. It
// is the outside of core/metrics that reads the operating system.
//
// It must not know how the figures are shown. Start with Read; Spare has the process use less memory.
package process
