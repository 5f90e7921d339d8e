package store

import (
	"strings"
	"time"

	"berth/core/hubs"
)

// Whether a worker is there, as conditions on its row, which the hubs' rows decide too: a link that ended
// is known as long as any hub is there, one that goes on only while the hub is that holds it. A database on
// which one server works alone has no lease, and links of no hub. CLOCK is the database's time.
const (
	anyHub = `NOT EXISTS (SELECT 1 FROM leases WHERE name = '` + string(hubs.Duties) + `' AND NOT EXISTS (SELECT 1 FROM hubs WHERE lease_until >= CLOCK))`
	ownHub = `(hub_id = '' OR EXISTS (SELECT 1 FROM hubs WHERE hubs.id = workers.hub_id AND hubs.lease_until >= CLOCK))`

	isOnline  = `(revoked = 0 AND connected_at > left_at AND ` + ownHub + ` AND ` + anyHub + `)`
	isUnheard = `(revoked = 0 AND connected_at > 0 AND NOT (` + anyHub + ` AND (connected_at <= left_at OR ` + ownHub + `)))`
	isAway    = `(revoked = 0 AND connected_at > 0 AND connected_at <= left_at AND ` + anyHub + `)`

	// heardColumns tell it of a row, and until when the hub was believed that could tell, as leases have it.
	heardColumns = `CASE WHEN ` + isOnline + ` THEN 1 ELSE 0 END, CASE WHEN ` + isUnheard + ` THEN 1 ELSE 0 END,
		COALESCE((SELECT lease_until FROM hubs WHERE hubs.id = workers.hub_id), (SELECT lease_until FROM leases WHERE name = '` + string(hubs.Duties) + `'), 0)`
)

// timed puts the database's clock into a query.
func (tx *Tx) timed(query string) string { return strings.ReplaceAll(query, "CLOCK", tx.dialect.Clock) }

// lastWord is when a hub was last heard of whose lease runs, or ran, until then; one that was given back
// has that time with a minus sign. Zero when it is not known.
func lastWord(until int64) time.Time {
	if until < 0 {
		return fromMicros(-until)
	}
	return fromMicros(max(0, until-hubs.LeaseTime.Microseconds()))
}
