// Package store owns the rows: SQL over database/sql, one file per noun, migrations and
// two dialects. It knows no driver; an adapter opens the database and hands it in.
//
// DB has no query methods, only Read and Write, and the transaction that they hand to a
// function runs the SQL. Exported methods of Store own a transaction; unexported
// functions take one. A change of state is an UPDATE that names the state it expects:
// no row changed is a Conflict. No network call, process or sleep happens inside a
// transaction. Start with db.go, then migrations/0001_first.sql.
package store
