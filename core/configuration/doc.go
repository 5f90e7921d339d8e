// Package configuration owns an installation as one readable file: what it is made of, without what it has done and
// without any secret. It writes the file, reads it strictly, plans what would have to change here for the file to hold,
// and does that through the use cases of the other packages.
//
// Names are what things are known by: no identifier is in a file, so that it means the same on another installation.
// Repository keys, SSH hosts, repositories, stacks, jobs, service accounts and users have unique names by themselves,
// a variable has one for its owner, and a worker is meant by its hostname; where two workers share that, by its label.
//
// What a file says of a thing holds whole: a field that is left out has its default. What the file does not name is
// left alone, and deleted only when that was asked for and the file has the section it would stand in. The same
// installation always gives the same bytes.
//
// It must not know YAML beyond writing it, nor the store, nor HTTP. Start reading at Configuration, then Plan and Desk.
package configuration
