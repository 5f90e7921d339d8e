package store

import (
	"errors"

	"berth/core"
	"berth/core/fault"
)

// errContent marks a column that does not hold the record that it should.
var errContent = errors.New("store: the column cannot be read")

// legible names the row whose columns cannot be read; other errors pass.
func legible(noun, id string, err error) error {
	if !errors.Is(err, errContent) {
		return err
	}
	return fault.New(fault.Internal, "store.unreadable", "The database holds %s %s, which cannot be read. "+
		"What it is about waits until the row is put right; everything else goes on. The server's log has the details.", noun, id).Because(err)
}

// unreadable reports whether err is about rows that cannot be read, and about nothing else.
func unreadable(err error) bool { return fault.CodeOf(err) == "store.unreadable" }

// perhaps is a row that may not be legible; what comes before its first column that cannot be read
// is there all the same.
type perhaps[T any] struct {
	value     T
	illegible bool
}

// pageLegible is page for a query whose rows may be bad: those are left out and named by their cursors,
// which must come before every column that can be. The query asks for limit+1 rows.
func pageLegible[T any](tx *Tx, ask core.Page, cursor func(T) string, scan func(scanner) (T, error), query string, args ...any) (core.List[T], error) {
	rows, err := many(tx, func(row scanner) (perhaps[T], error) {
		v, err := scan(row)
		if unreadable(err) {
			return perhaps[T]{v, true}, nil
		}
		return perhaps[T]{value: v}, err
	}, query, args...)
	all := page(rows, ask, func(p perhaps[T]) string { return cursor(p.value) })
	found := core.List[T]{Items: make([]T, 0, len(all.Items)), Next: all.Next}
	for _, p := range all.Items {
		if p.illegible {
			found.LeftOut = append(found.LeftOut, cursor(p.value))
		} else {
			found.Items = append(found.Items, p.value)
		}
	}
	return found, err
}

// maxUnreadable bounds how many rows one error names.
const maxUnreadable = 10

// manyLegible is many for what must not stop at one bad row. Rows that cannot be read are left
// out and named in the error, "store.unreadable"; the others are returned all the same.
func manyLegible[T any](tx *Tx, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	var bad []error
	read, err := many(tx, func(row scanner) (*T, error) {
		v, err := scan(row)
		if !errors.Is(err, errContent) {
			return &v, err
		}
		if len(bad) < maxUnreadable {
			bad = append(bad, err)
		}
		return nil, nil
	}, query, args...)
	if err != nil {
		return nil, err
	}
	items := make([]T, 0, len(read))
	for _, v := range read {
		if v != nil {
			items = append(items, *v)
		}
	}
	return items, errors.Join(bad...)
}
