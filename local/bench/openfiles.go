package main

import (
	"fmt"
	"syscall"
)

// spareFiles are those that a process has open beside its links.
const spareFiles = 500

// allowFiles lets this process and those that it starts have so many links open.
func allowFiles(links int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	need := uint64(links + spareFiles)
	if limit.Cur >= need {
		return nil
	}
	limit.Cur, limit.Max = need, max(limit.Max, need)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("%d links need %d open files (%w): raise the limit (ulimit -n) or measure fewer", links, need, err)
	}
	return nil
}
