// Package scripting runs testscript files against the real programs and adds what such
// scripts need: free ports and fresh keys in their environment, and these commands.
//
//	exits CODE PROGRAM ARGS…   runs a program, which must end with this exit code
//	await FILE PATTERN         waits until a file has a line that matches
//	terminate DURATION         sends SIGTERM to what runs in the background, which must end in time
//	damage                     writes rubbish into the database of DATA_DIR
//	newer                      makes that database look like a newer program's
//	postgres                   makes a PostgreSQL database and sets DATABASE_URL
//	ask QUERY                  prints the first value that a query on it tells
//
// A script begins with PORT, TLS_WORKER_PORT, HUB_LISTEN, APP_URL, DATA_DIR, BOOTSTRAP_TOKEN, SECRET_KEY and LOG_LEVEL
// set, OTHER_KEY and THIRD_KEY for more keys, and BUSY_PORT for a port that somebody listens on. It must not know what
// the programs do. Start with Run.
package scripting
