package partition

import (
	"fmt"
	"testing"
	"time"

	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/e2e/rig"
)

// links is how many workers there are when the server is told to stop.
const links = 1000

// O11: the server is told to stop with a thousand links, whose workers do not read any more. It
// ends in order and without an error, which Stop checks.
func TestO11AStopWithAThousandLinks(t *testing.T) {
	s := rig.Start(t, rig.Options{Environment: map[string]string{"HEARTBEAT_INTERVAL": "300"}})
	address := "127.0.0.1:" + s.Port
	for range links {
		identity{s.Remote()}.connect(t, address)
	}
	rig.Until(t, patience, "every worker online", func() (bool, string) {
		n := 0
		for after := ""; ; {
			page := rig.Get[endpoint.Items[api.WorkerAnswer]](s.Client, "/api/custom/workers?online=true&limit=500&after="+after)
			n += len(page.Items)
			if after = page.Next; after == "" {
				return n == links, fmt.Sprintf("%d are", n)
			}
		}
	})
	began := time.Now()
	s.Stop()
	t.Logf("it ended after %v", time.Since(began))
}
