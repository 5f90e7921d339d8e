// Package postgres opens a PostgreSQL database behind core/store's DB: jackc/pgx over
// database/sql.
//
// It owns the address, TLS, the limits of connections and statements, how a transaction begins and
// ends, and the reading of the server's errors; it must not know any table but schema_steps, which
// writers lock to take turns. Start with Open, then begin.go.
//
// The store was written for one writer at a time. A write's first attempt is SERIALIZABLE, beside
// others; when the server finds that two could not have come one after the other, it is
// run again alone, under a lock on schema_steps that first attempts share. A lock on a table is
// taken before the transaction's view of the rows is, which an advisory lock in a query is not, so
// whoever had to wait sees what the others have committed. Reads are REPEATABLE READ, READ ONLY.
//
// Nothing is kept in a session: settings are made in the transaction that needs them and nothing is
// prepared, so a pooler that lends connections for a transaction each, such as PgBouncer, may stand
// between.
//
// A COMMIT whose connection broke may have been carried out. It is not repeated: the caller gets
// Unavailable "store.unconfirmed" and has to look. The process goes on, because what is true is in
// the server.
package postgres
