package partition

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core/wire"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/e2e/rig"
)

// links is how many workers there are when the server is told to stop.
const links = 1000

// O10, O11: a server with a thousand links is scraped by several at once, and then told to stop while
// its workers do not read any more. It ends in order and without an error, which Stop checks.
func TestO10ScrapesAndO11AStopWithAThousandLinks(t *testing.T) {
	s := rig.Start(t, rig.Options{Environment: map[string]string{"HEARTBEAT_INTERVAL": "300"}})
	address := "127.0.0.1:" + s.Port
	for range links {
		p := identity{s.Remote()}.connect(t, address)
		p.say(wire.Snapshot{Text: "# TYPE berth_worker_containers gauge\nberth_worker_containers{state=\"running\"} 3\n"})
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
	scrapeTogether(t, s)
	began := time.Now()
	s.Stop()
	t.Logf("it ended after %v", time.Since(began))
}

// scrapeTogether scrapes from several places at once. Each scrape has all workers, none of them down, and none writes.
func scrapeTogether(t *testing.T, s *rig.Server) {
	t.Helper()
	const scrapers, rounds = 8, 5
	before := scraped(t, s)
	var together sync.WaitGroup
	for range scrapers {
		together.Go(func() {
			for range rounds {
				up := scraped(t, s)
				if n := strings.Count(up, "\nberth_worker_containers{"); n != links {
					t.Errorf("a scrape has the snapshots of %d workers", n)
				}
				if n := len(workersUp.FindAllString(up, -1)); n != links {
					t.Errorf("a scrape has %d workers that are up", n)
				}
			}
		})
	}
	together.Wait()
	if n := writes(t, scraped(t, s)) - writes(t, before); n >= scrapers*rounds/2 {
		t.Errorf("%d scrapes wrote %d times", scrapers*rounds, n)
	}
}

var (
	workersUp = regexp.MustCompile(`(?m)^berth_worker_up\{[^}]*\} 1$`)
	written   = regexp.MustCompile(`(?m)^berth_store_transactions_total\{kind="write",[^}]*\} ([0-9]+)$`)
)

// writes returns how many transactions have written.
func writes(t *testing.T, scrape string) (sum int) {
	t.Helper()
	for _, line := range written.FindAllStringSubmatch(scrape, -1) {
		n, err := strconv.Atoi(line[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if sum == 0 {
		t.Fatal("the scrape does not tell how often was written")
	}
	return sum
}

func scraped(t *testing.T, s *rig.Server) string {
	t.Helper()
	answer := s.Client.For(t).Ask(http.MethodGet, "/metrics", nil)
	if answer.Status != http.StatusOK {
		t.Errorf("a scrape got %d", answer.Status)
	}
	return string(answer.Body)
}
