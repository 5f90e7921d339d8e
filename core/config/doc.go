// Package config owns process configuration: one struct per process, in which each
// field declares its variable once: name, default, unit, form and meaning. From
// that one declaration come parsing, defaults, every problem at once, and the
// README's table.
//
// Rules for all variables:
//   - An empty variable counts as not set and gets its default.
//   - Nothing is trimmed: space at either end, control characters and bytes that are
//     not UTF-8 are problems, because a value that was changed silently is found late.
//   - A problem names the variable, what is wrong and what would be right, and never
//     shows any part of the value, secret or not.
//   - Secrets are kept in types that do not print themselves.
//   - Names that begin with BERTH_ and mean nothing to us give a warning.
//
// The struct tags:
//
//	env       the variable's name
//	default   value of an unset variable, as one would write it
//	derived   default that finish computes from something else, as the table words it
//	required  "yes", or when it is needed, as the table words it
//	form      how the text is read: a key of forms
//	min, max  bounds of a number, in the variable's unit
//	unit      unit or shape, for the table
//	doc       meaning, for the table
//
// To add a variable, add a field; a new form goes into forms.go. What concerns two
// variables goes into the process's check.
//
// The package must not know the environment, files or network: the mains hand in
// os.LookupEnv, os.Environ and what they found out about the system. Start with
// server.go, then load.go.
package config
