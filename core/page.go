package core

// Page is what a caller asks of a list: how many, and after which cursor. Every list
// is ordered and limited.
type Page struct {
	After string // cursor of the last item seen; empty: from the start
	Limit int    // 1 to MaxPage
}

// Limits of lists.
const (
	DefaultPage = 50
	MaxPage     = 500
)

// List is one page of an ordered list.
type List[T any] struct {
	Items []T
	Next  string // cursor for the following page; empty: this was the last
	// LeftOut names items of this page that are stored and cannot be read, by their cursors: what is
	// wrong with one of them must not hide the others. Only lists of what people depend on have any.
	LeftOut []string
}
