package store

import (
	"context"
	"strconv"
	"strings"

	"berth/core"
	"berth/core/stacks"
)

// Stacks lists stacks in the order that the filter asks for. Those that cannot be read are left out and named.
func (s *Store) Stacks(ctx context.Context, f stacks.Filter, ask core.Page) (core.List[stacks.Stack], error) {
	return read(ctx, s, func(tx *Tx) (core.List[stacks.Stack], error) {
		if f.Order == stacks.OrderNeed {
			return stacksByNeed(tx, f, ask)
		}
		return pageLegible(tx, ask, func(st stacks.Stack) string { return st.Name }, scanStack, `SELECT `+stackColumns+` FROM stacks
			WHERE name > ? AND `+fitsFilter+` ORDER BY name LIMIT ?`, fitting([]any{ask.After}, f, ask)...)
	})
}

// fitsFilter is the condition of a filter; fitting has its arguments.
const fitsFilter = `(? = '' OR repository_id = ?) AND (? = '' OR worker_id = ?) AND (? = '' OR status = ?) AND (? = '' OR replace(name, ?, '') <> name)
	AND (? = 0 OR paused = 1 OR quarantine <> '{}')`

// fitting adds the arguments of fitsFilter, and of the limit behind it, to those of the condition before it.
func fitting(args []any, f stacks.Filter, ask core.Page) []any {
	return append(args, f.Repository, f.Repository, f.Worker, f.Worker, f.Status, f.Status, f.Search, f.Search, number(f.Held), ask.Limit+1)
}

// need is how much a stack needs somebody, 0 the most; see stacks.OrderNeed. The index stacks_need is over this very text.
const need = `(CASE WHEN deleting = 1 THEN 4 WHEN status = 'error' THEN 0 WHEN status = 'degraded' THEN 1 WHEN status IN ('pending', 'syncing') THEN 4
	WHEN drifted = 1 OR quarantine <> '{}' THEN 2 WHEN status = 'new' OR (out_of_sync = 1 AND status <> 'paused') THEN 3 ELSE 5 END)`

// needing is a stack with its place among those that need somebody, which is known where the stack cannot be read, too.
type needing struct {
	need int
	stacks.Stack
}

// place is the cursor of the list. A name has no space.
func (n needing) place() string { return strconv.Itoa(n.need) + " " + n.Name }

func scanNeeding(row scanner) (n needing, err error) {
	n.Stack, err = scanStack(prefixed{row, &n.need})
	return n, err
}

// prefixed is a row with a column before those that somebody else reads.
type prefixed struct {
	scanner
	first any
}

func (p prefixed) Scan(dest ...any) error { return p.scanner.Scan(append([]any{p.first}, dest...)...) }

// stacksByNeed is Stacks in the order stacks.OrderNeed. A stack whose need changes between two pages may be on both, or on none.
func stacksByNeed(tx *Tx, f stacks.Filter, ask core.Page) (core.List[stacks.Stack], error) {
	least, name := placeIn(ask.After)
	found, err := pageLegible(tx, ask, needing.place, scanNeeding, `SELECT `+need+` AS need, `+stackColumns+` FROM stacks
		WHERE `+need+` >= ? AND (`+need+` > ? OR name > ?) AND `+fitsFilter+` ORDER BY `+need+`, name LIMIT ?`, fitting([]any{least, least, name}, f, ask)...)
	list := core.List[stacks.Stack]{Items: make([]stacks.Stack, len(found.Items)), Next: found.Next}
	for i, n := range found.Items {
		list.Items[i] = n.Stack
	}
	for _, place := range found.LeftOut {
		_, name := placeIn(place)
		list.LeftOut = append(list.LeftOut, name)
	}
	return list, err
}

// placeIn reads a place; what is none, such as the cursor of another order, is the beginning.
func placeIn(cursor string) (need int, name string) {
	first, name, _ := strings.Cut(cursor, " ")
	need, err := strconv.Atoi(first)
	if err != nil {
		return 0, ""
	}
	return need, name
}
