package metrics

// OwnNames are the families that the server declares, whether they have series or not.
func (o *Own) OwnNames() (names []string) {
	for _, v := range o.all {
		names = append(names, v.name)
	}
	return names
}
