package postgres

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"berth/core/fault"
	"berth/core/store"
)

// dialect is how PostgreSQL speaks; where names the database for people.
func dialect(where string) store.Dialect {
	never := func(error) bool { return false }
	return store.Dialect{
		Name:        "postgres",
		HasTable:    `SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = ?`,
		Tables:      `SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = current_schema() ORDER BY tablename LIMIT 1000`,
		Schema:      schema,
		Clock:       `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`,
		Placeholder: placeholders,
		Text:        storable,
		Duplicate:   coded("23505"),
		Retry:       coded("40001", "40P01"),
		Full:        never, // what follows is told by Fault, in words for a server
		Broken:      never,
		Damaged:     never,
		ReadOnly:    coded("25006"),
		Fault:       func(err error) *fault.Error { return meaning(where, err) },
		Size:        `SELECT pg_database_size(current_database())`,
		Check:       `SELECT 'ok'`,
		Claim:       ` FOR UPDATE SKIP LOCKED`,
		Crowded:     true,
		Moved:       `SELECT pg_current_snapshot()::text`, // of this server; other databases on it move it too
		Reading:     reading,
		Writing:     writing,
		Repeating:   repeating,
		Altering:    altering,
		Filling:     filling,
	}
}

var typeWords = regexp.MustCompile(`,?\s*\bWITHOUT ROWID\b|\)\s*STRICT\b|\bBLOB\b|\bINTEGER\b|\bTEXT\b`)

// schema rewrites the type words of a migration. Text is ordered by its bytes, as in SQLite, whatever
// the language of the database: the cursors of lists rely on it.
func schema(sql string) string {
	return typeWords.ReplaceAllStringFunc(sql, func(word string) string {
		switch word {
		case "BLOB":
			return "BYTEA"
		case "INTEGER":
			return "BIGINT"
		case "TEXT":
			return `TEXT COLLATE "C"`
		}
		if strings.HasPrefix(word, ")") {
			return ")"
		}
		return ""
	})
}

// placeholders rewrites ? to $1, $2 and so on, outside of texts and quoted names.
func placeholders(query string) string {
	if !strings.Contains(query, "?") {
		return query
	}
	var b strings.Builder
	b.Grow(len(query) + 16)
	quote, n := byte(0), 0
	for i := range len(query) {
		switch c := query[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			b.WriteByte(c)
		case c == '?':
			n++
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(n))
		default:
			if c == '\'' || c == '"' {
				quote = c
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// storable is s as the server can hold it: it refuses a byte 0, and what is not UTF-8, which the
// output of a container may well have.
func storable(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
