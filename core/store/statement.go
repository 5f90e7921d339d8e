package store

// Exec runs a statement as it is given and returns how many rows it changed. It is for tests
// alone, above all for the contract that core/coretest asks of each database: rows are
// changed by the methods of Store and by nothing else.
func Exec(tx *Tx, query string, args ...any) (int64, error) { return tx.exec(query, args...) }

// Texts returns the first column of a query's rows. Like Exec it is for tests alone.
func Texts(tx *Tx, query string, args ...any) ([]string, error) {
	return many(tx, scalar[string], query, args...)
}
