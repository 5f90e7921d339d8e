// Package hubs holds tests of more than one hub on one PostgreSQL database: the real programs in
// processes of their own, their worker ports behind one address, workers and Git host beside them.
//
// Hubs are killed, stopped, made to stand still and cut off while deployments flow. Nothing that
// was accepted may be lost or done twice, whoever leads. How long a hand-over takes is printed and
// not judged: the machine may be busy. A browser looks at the pages where the host of the handlers cannot
// stream. There is nothing in it but tests; start with site_test.go,
// then handover_test.go.
package hubs
