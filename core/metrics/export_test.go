package metrics

// OwnNames are the families that the server declares, whether they have series or not.
func (o *Own) OwnNames() (names []string) {
	for _, v := range o.all {
		names = append(names, v.name)
	}
	return names
}

// Limit sets how many bytes may be kept of all workers.
func (c *Cache) Limit(bytes int) { c.limit = bytes }

// Kept returns how many bytes are counted as kept: of text, and compressed.
func (c *Cache) Kept() (text, pieces int) { return c.bytes, c.pieces }

// Found returns how many bytes are kept compressed, counted one by one.
func (c *Cache) Found() (pieces int) {
	for _, f := range c.families {
		pieces += f.packed.bytes()
	}
	return pieces
}
