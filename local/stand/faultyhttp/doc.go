// Package faultyhttp makes an HTTP stand-in misbehave on purpose: it puts a Switch before a handler, by
// which a test chooses how requests are answered badly, reads what was asked, and makes every answer
// take its time. Pipe carries such a server within a process, so that time in a testing/synctest bubble
// may pass without anybody waiting.
//
// It must not know what is served. The program itself must not use it. Start with Switch in switch.go.
package faultyhttp
