package ui

import "berth/core"

// find returns the first item of a short list that is the wanted one; false when none is. All
// pages of the list are read if need be.
func find[T any](list func(core.Page) (core.List[T], error), is func(T) bool) (item T, found bool, err error) {
	ask := core.Page{Limit: core.MaxPage}
	for {
		page, err := list(ask)
		if err != nil {
			return item, false, err
		}
		for _, candidate := range page.Items {
			if is(candidate) {
				return candidate, true, nil
			}
		}
		if page.Next == "" {
			return item, false, nil
		}
		ask.After = page.Next
	}
}
