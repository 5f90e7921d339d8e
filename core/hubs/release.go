package hubs

import "berth/core/fault"

// Beside says whether a hub may work beside those that are there: hubs of different releases do not work together, because one would
// change the schema, or the meaning of a row, under the other. Conflict "hub.release" names both, and what to do.
func Beside(self Hub, there []Hub) error {
	for _, other := range there {
		if other.Version != self.Version {
			return fault.New(fault.Conflict, "hub.release",
				"The hub at %s, which is release %s, works on this database, and this one is release %s. Hubs of different releases do not work together: stop every hub of the release that is to go, then start the others.",
				other.URL, named(other.Version), named(self.Version))
		}
	}
	return nil
}

// named is a version as people read it.
func named(version string) string {
	if version == "" {
		return "unknown"
	}
	return version
}
