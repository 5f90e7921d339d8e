package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"berth/core/fault"
)

// copied are the tables that hold what must not be lost, each after those that it refers to.
var copied = []string{
	"policies",
	"settings", "key_ring", "sealed_settings", "users", "sessions", "invitations", "password_resets", "second_factors", "recovery_codes", "oidc_identities", "service_accounts", "api_keys", "audit_events", "worker_tokens", "workers",
	"credentials", "spent_states", "ssh_hosts", "repositories", "webhook_secrets", "webhook_deliveries", "repository_events", "followed_folders", "folder_proposals", "stacks", "revisions", "deployments", "deployment_log", "commit_statuses", "deployment_events", "decisions", "commands",
	"jobs", "job_fires", "job_runs", "job_run_log", "job_logs_left", "variables", "variable_bindings", "integrations", "delivered", "revision_files", "outbox", "notice_problems",
}

// passing are the tables of the schema itself, of processes that run on the database, and of what they read a moment ago.
var passing = []string{"schema_steps", "worker_readings", "hubs", "hubs_gone", "leases", "worker_port"}

// Copied says how many rows of a table were copied.
type Copied struct {
	Table string
	Rows  int64
}

// FilesToCopy tells each file of revisions that is kept beside a database, by the name that
// PutRevisionFile would be given.
type FilesToCopy = func(put func(name string, content []byte) error) error

// Copy copies every row of one database into another of the same schema that holds none, and files
// with them, in one transaction there. Before that is committed the rows are read back and compared. Nobody
// may write to either meanwhile. Conflict "store.not_empty" when the other holds anything, "store.miscopied"
// when what was read back differs.
func Copy(ctx context.Context, from, to *DB, files FilesToCopy) (all []Copied, err error) {
	err = from.Read(ctx, func(source *Tx) error {
		if err := known(source); err != nil {
			return err
		}
		return to.urgent(ctx, to.dialect.Filling, to.dialect.Filling, func(target *Tx) error {
			if err := empty(target); err != nil {
				return err
			}
			all, err = copyAll(source, target, files)
			return err
		})
	})
	return all, err
}

// known refuses a database with a table that Copy does not know, and one in which something else stands in the place of
// a table: the rows of a view may have no end.
func known(tx *Tx) error {
	names, err := many(tx, scalar[string], tx.dialect.Tables)
	if err != nil {
		return err
	}
	for _, name := range copied {
		if !slices.Contains(names, name) {
			return fmt.Errorf("store: copy: there is no table %s", name)
		}
	}
	for _, name := range names {
		if !slices.Contains(copied, name) && !slices.Contains(passing, name) {
			return fmt.Errorf("store: copy: nobody said what becomes of table %s", name)
		}
	}
	return nil
}

// Unused refuses a database that holds anything that is not an empty table of Berth's. It
// changes nothing. Conflict "store.not_empty".
func (db *DB) Unused(ctx context.Context) error { return db.Read(ctx, empty) }

func empty(tx *Tx) error {
	names, err := many(tx, scalar[string], tx.dialect.Tables)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == "schema_steps" {
			continue
		}
		rows, err := many(tx, scalar[int], `SELECT 1 FROM "`+name+`" LIMIT 1`)
		if err != nil {
			return err
		}
		switch ours := slices.Contains(copied, name) || slices.Contains(passing, name); {
		case !ours:
			return notEmpty("it has a table %s, which is not Berth's", name)
		case len(rows) > 0:
			return notEmpty("its table %s has rows", name)
		}
	}
	return nil
}

func notEmpty(why, table string) error {
	return fault.New(fault.Conflict, "store.not_empty", "The database to copy into is not empty: "+why+". Make an empty one with CREATE DATABASE, and name that in DATABASE_URL. Nothing was changed.", table)
}

func copyAll(source, target *Tx, files FilesToCopy) ([]Copied, error) {
	var all []Copied
	for _, table := range copied {
		sent, columns, err := copyTable(source, target, table)
		if err != nil {
			return nil, fmt.Errorf("store: copy %s: %w", table, err)
		}
		there, err := sumOf(target, table, columns)
		if err != nil {
			return nil, fmt.Errorf("store: compare %s: %w", table, err)
		}
		if sent != there {
			return nil, fault.New(fault.Conflict, "store.miscopied",
				"Of table %s %d rows were read and %d were found again, or their content differs. Nothing was kept of the copy; please report this.", table, sent.rows, there.rows)
		}
		all = append(all, Copied{table, sent.rows})
	}
	if files == nil {
		return all, nil
	}
	count := int64(0)
	err := files(func(name string, content []byte) error {
		count++
		return putFile(target, name, content)
	})
	return append(all, Copied{"files of revisions", count}), err
}

// Bounds of one INSERT.
const (
	copyValues = 5000
	copyBytes  = 1 << 20
)

// copyTable copies the rows of one table. It returns what was sent, and the table's columns.
func copyTable(source, target *Tx, table string) (sum rowSum, columns []string, err error) {
	columns, blobs, err := columnsOf(source, table)
	if err != nil {
		return sum, nil, err
	}
	b := &batch{tx: target, table: table, columns: columns}
	err = eachRow(source, table, columns, blobs, func(row []any) error {
		row = target.values(row) // as the target can hold it
		sum.add(row)
		return b.add(row)
	})
	if err != nil {
		return sum, nil, err
	}
	return sum, columns, b.flush()
}

// sumOf sums up the rows of a table.
func sumOf(tx *Tx, table string, columns []string) (sum rowSum, err error) {
	_, blobs, err := columnsOf(tx, table)
	if err != nil {
		return sum, err
	}
	return sum, eachRow(tx, table, columns, blobs, func(row []any) error {
		sum.add(row)
		return nil
	})
}

// columnsOf returns the names of a table's columns, and which of them hold bytes.
func columnsOf(tx *Tx, table string) (columns []string, blobs map[string]bool, err error) {
	rows, err := tx.tx.QueryContext(tx.ctx, `SELECT * FROM `+table+` LIMIT 0`)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, nil, err
	}
	blobs = map[string]bool{}
	for _, c := range types {
		columns = append(columns, c.Name())
		blobs[c.Name()] = c.DatabaseTypeName() == "BLOB" || c.DatabaseTypeName() == "BYTEA"
	}
	return columns, blobs, rows.Err()
}

// eachRow tells every row of a table. A driver may tell no bytes and no value alike, so the length of
// bytes is asked for beside them.
func eachRow(tx *Tx, table string, columns []string, blobs map[string]bool, tell func([]any) error) error {
	asked := slices.Clone(columns)
	for _, c := range columns {
		if blobs[c] {
			asked = append(asked, "length("+c+")")
		}
	}
	rows, err := tx.tx.QueryContext(tx.ctx, `SELECT `+strings.Join(asked, ", ")+` FROM `+table)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row, into := make([]any, len(asked)), make([]any, len(asked))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		length := len(columns)
		for i, c := range columns {
			if blobs[c] {
				if content, _ := row[i].([]byte); content == nil && row[length] != nil {
					row[i] = []byte{}
				}
				length++
			}
		}
		if err := tell(row[:len(columns)]); err != nil {
			return err
		}
	}
	return rows.Err()
}

// batch gathers rows for one INSERT.
type batch struct {
	tx      *Tx
	table   string
	columns []string
	values  []any
	bytes   int
}

func (b *batch) add(row []any) error {
	b.values = append(b.values, row...)
	for _, v := range row {
		switch v := v.(type) {
		case string:
			b.bytes += len(v)
		case []byte:
			b.bytes += len(v)
		}
	}
	if len(b.values) < copyValues && b.bytes < copyBytes {
		return nil
	}
	return b.flush()
}

func (b *batch) flush() error {
	if len(b.values) == 0 {
		return nil
	}
	one := "(?" + strings.Repeat(", ?", len(b.columns)-1) + ")"
	rows := len(b.values) / len(b.columns)
	_, err := b.tx.exec(`INSERT INTO `+b.table+` (`+strings.Join(b.columns, ", ")+`) VALUES `+one+strings.Repeat(", "+one, rows-1), b.values...)
	b.values, b.bytes = b.values[:0], 0
	return err
}

// rowSum is the number of rows and a digest of their content, in whatever order they come.
type rowSum struct {
	rows   int64
	digest [sha256.Size]byte
}

func (s *rowSum) add(row []any) {
	h := sha256.New()
	for _, v := range row {
		kind, content := byte('n'), []byte(nil)
		switch v := v.(type) {
		case nil:
		case int64:
			kind, content = 'i', binary.BigEndian.AppendUint64(nil, uint64(v))
		case string:
			kind, content = 's', []byte(v)
		case []byte:
			kind, content = 'b', v
		default:
			kind, content = 'x', fmt.Append(nil, v)
		}
		h.Write(binary.BigEndian.AppendUint64([]byte{kind}, uint64(len(content))))
		h.Write(content)
	}
	s.rows++
	for i, b := range h.Sum(nil) {
		s.digest[i] ^= b
	}
}
