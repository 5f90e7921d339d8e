package store

// OnDefect has tell called with a defect that ends no write, and so would come to nobody's eyes: with what went wrong and where. It
// is called before the first transaction of others, and tell on any goroutine, with no transaction open but while others wait.
func (db *DB) OnDefect(tell func(error)) { db.defect = tell }

func (db *DB) tellDefect(err error) {
	if db.defect != nil {
		db.defect(err)
	}
}
