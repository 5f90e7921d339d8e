// Package keys changes the data keys of an installation: Desk adds one, with which all is sealed from then on, and
// Renewal seals anew what was sealed with those before. What changes SECRET_KEY is seal.Unlock.
//
// Several processes work with one ring. Each has it renewed when it meets a value that was sealed with a key it does
// not know, and every now and then (Watch); until then it seals with the key before, which every ring opens. That is why a
// pass is made again and again: what was stored by such a process is found by the next one.
//
// The package must not know where keys are stored nor who looks at them. Start with desk.go.
package keys
