// Package notify owns what people are told without asking: which problems there are, when one is worth a message, what goes
// into one, and who gets it.
//
// Problems are read off the state of stacks, jobs, workers, repositories and backups, and compared with those that are known, so that
// nothing is lost by a crash and nothing is told twice. One has to last before it is told, and to be gone for a while before
// that is told: what flaps is held back. Problems of a kind that came up together go into one message. What is
// told and the messages that tell it are stored in one transaction.
//
// The package must not know how messages travel. Start with Judge.
package notify
