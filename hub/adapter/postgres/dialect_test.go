package postgres

import "testing"

func TestPlaceholders(t *testing.T) {
	for query, want := range map[string]string{
		`SELECT 1`:                                      `SELECT 1`,
		`UPDATE a SET b = ?, c = ? WHERE d = ?`:         `UPDATE a SET b = $1, c = $2 WHERE d = $3`,
		`SELECT 'why?', "how?" FROM a WHERE b = ?`:      `SELECT 'why?', "how?" FROM a WHERE b = $1`,
		`SELECT 'it''s ?' FROM a WHERE b = ? AND c='?'`: `SELECT 'it''s ?' FROM a WHERE b = $1 AND c='?'`,
		`SELECT "a""?" WHERE ? = 'ä'`:                   `SELECT "a""?" WHERE $1 = 'ä'`,
		`VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`:      `VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
	} {
		if got := placeholders(query); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", query, got, want)
		}
	}
}

func TestSchema(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE TABLE a (\n    id TEXT PRIMARY KEY,\n    n INTEGER NOT NULL,\n    text BLOB\n) STRICT;":  "CREATE TABLE a (\n    id TEXT COLLATE \"C\" PRIMARY KEY,\n    n BIGINT NOT NULL,\n    text BYTEA\n);",
		"CREATE TABLE a (id TEXT NOT NULL) STRICT, WITHOUT ROWID;":                                       "CREATE TABLE a (id TEXT COLLATE \"C\" NOT NULL);",
		"CREATE TABLE a (id INTEGER) WITHOUT ROWID;":                                                     "CREATE TABLE a (id BIGINT);",
		"ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT '{}';":                                         "ALTER TABLE a ADD COLUMN b TEXT COLLATE \"C\" NOT NULL DEFAULT '{}';",
		"CREATE INDEX i ON a(b) WHERE c IN ('queued', 'running');\nUPDATE a SET b = 1, context = texts;": "CREATE INDEX i ON a(b) WHERE c IN ('queued', 'running');\nUPDATE a SET b = 1, context = texts;",
	} {
		if got := schema(sql); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", sql, got, want)
		}
	}
}

func TestStorable(t *testing.T) {
	for text, want := range map[string]string{"": "", "plain ä 😀": "plain ä 😀", "a\x00b": "a\uFFFDb", "\xff\xfe": "\uFFFD", "a\xc3": "a\uFFFD", "\x00\x00": "\uFFFD\uFFFD"} {
		if got := storable(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
