package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"berth/core/access"
)

// TestAStackKeepsItsWorkerInALargeFleet: its settings name the worker, however many there are, and saving them as they
// are changes nothing. Another is typed.
func TestAStackKeepsItsWorkerInALargeFleet(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleAdmin))
	s.filled(session, 640)
	worker := func(stack string) string {
		return s.text(`SELECT hostname FROM workers WHERE id = (SELECT worker_id FROM stacks WHERE name = ?)`, stack)
	}
	s.exec(`UPDATE stacks SET revision = 0`)
	s.exec(`DELETE FROM stacks WHERE name = 'stack-2'`) // its folder can be added again
	for _, name := range []string{"stack-3", "stack-639"} {
		host := "edge-" + strings.TrimPrefix(name, "stack-") + ".example.com"
		settings := "/stacks/" + s.text(`SELECT id FROM stacks WHERE name = ?`, name) + "/settings"
		says(t, s.browse(session, settings), 200, fmt.Sprintf(`name="worker_id" type="text" value="%s"`, host))
		form := url.Values{"name": {name}, "path": {s.text(`SELECT path FROM stacks WHERE name = ?`, name)}, "worker_id": {host}, "worker_tags": {""}}
		if w := s.submit(session, settings, form); w.Code != 303 || worker(name) != host {
			t.Errorf("%s was on %s and is on %s: %d %s", name, host, worker(name), w.Code, w.Body)
		}
		form.Set("worker_id", "edge-0815.example.com")
		says(t, s.submit(session, settings, form), 422, `value="edge-0815.example.com"`, "is called", "edge-0815.example.com")
		form.Set("worker_id", "EDGE-17.example.com")
		if w := s.submit(session, settings, form); w.Code != 303 || worker(name) != "edge-17.example.com" {
			t.Errorf("%s was to go to edge-17 and is on %s: %d %s", name, worker(name), w.Code, w.Body)
		}
	}
	stack := s.text(`SELECT id FROM stacks WHERE name = 'stack-4'`)
	says(t, s.browse(session, "/stacks/"+stack+"/transfer"), 200, `name="worker_id" type="text"`)
	says(t, s.submit(session, "/stacks/"+stack+"/transfer", url.Values{"worker_id": {"edge-0815"}}), 422, `value="edge-0815"`, "No worker that may be used")
	repository := s.text(`SELECT id FROM repositories LIMIT 1`)
	for _, page := range []string{"/following", "/add"} {
		says(t, s.browse(session, "/repositories/"+repository+page), 200, `type="text"`)
	}
	says(t, s.submit(session, "/repositories/"+repository+"/following", url.Values{"follow.what": {"stacks"}, "follow.worker_id": {"edge-0815"}}), 422, "No worker that may be used")
	says(t, s.submit(session, "/repositories/"+repository+"/add", url.Values{"pick": {"stack folder-2"}, "name stack folder-2": {"two"}, "worker_id": {"edge-0815"}}), 422, "No worker that may be used")
	if w := s.submit(session, "/repositories/"+repository+"/following", url.Values{"follow.what": {"stacks"}, "follow.worker_id": {"edge-17.example.com"}}); w.Code != 303 {
		t.Errorf("followed on a typed worker: %d %s", w.Code, w.Body)
	}
	says(t, s.browse(session, "/repositories/"+repository+"/following"), 200, `value="edge-17.example.com"`)
}
