package fleet_test

import (
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/wire"
)

func TestReleasesMoreThanOneApartAreTold(t *testing.T) {
	for sentence, c := range map[string]struct{ server, worker, want string }{
		"the same":                             {"1.4.2", "1.4.2", ""},
		"another patch":                        {"1.4.2", "v1.4.0", ""},
		"a worker one behind":                  {"1.4.2", "1.3.9", ""},
		"a worker one ahead":                   {"1.4.2", "1.5.0-rc.1", ""},
		"a worker two behind":                  {"1.4.2", "1.2.9", "It is too old: its release is 1.2.9, the server's 1.4.2, and more than one release apart is not tested. Update the worker."},
		"a worker two ahead":                   {"1.4.2", "1.6.0", "It is too new: its release is 1.6.0, the server's 1.4.2, and more than one release apart is not tested. Update the server."},
		"the first of the next major":          {"2.0.3", "1.9.0", ""},
		"a server before the first of a major": {"1.9.0", "2.0.0", ""},
		"the second of the next major":         {"2.1.0", "1.9.0", "It is too old: its release is 1.9.0, the server's 2.1.0, and more than one release apart is not tested. Update the worker."},
		"two majors":                           {"1.0.0", "3.0.0", "It is too new: its release is 3.0.0, the server's 1.0.0, and more than one release apart is not tested. Update the server."},
		"a build from source":                  {"1.4.2", "dev", ""},
		"a server from source":                 {"dev", "1.4.2", ""},
		"no version":                           {"1.4.2", "", ""},
		"too few numbers":                      {"1.4.2", "1.2", ""},
		"no numbers":                           {"1.4.2", "a.b.c", ""},
	} {
		if got := fleet.Advice(c.server, c.worker); got != c.want {
			t.Errorf("%s: %q, want %q", sentence, got, c.want)
		}
	}
}

func TestAProtocolThatIsNotSpokenIsRefusedAndItsReleaseKept(t *testing.T) {
	r := open(t)
	fresh, bound := r.issue(t).Secret.Reveal(), r.issue(t).Secret.Reveal()
	newer := enrol
	newer.Protocol, newer.Version = wire.ProtocolVersion+1, "9.0.0"
	if _, err := r.Enrol(t.Context(), proof(fresh, "key"), newer); fault.CodeOf(err) != "worker.protocol" || !strings.Contains(fault.PublicOf(err), "Update the server first") || !strings.Contains(fault.PublicOf(err), "release 9.0.0 and speaks protocol 2") {
		t.Errorf("a worker that is new here: %v", err)
	}
	if _, err := r.Enrol(t.Context(), proof("berth_wt_x", "key"), newer); fault.CodeOf(err) != "worker.token_invalid" {
		t.Errorf("who has no token learns nothing: %v", err)
	}
	if _, err := r.Enrol(t.Context(), proof(fresh, "key"), enrol); err != nil {
		t.Errorf("its token is still good: %v", err)
	}
	w, err := r.Enrol(t.Context(), proof(bound, "other key"), enrol)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Enrol(t.Context(), proof(bound, "other key"), newer); fault.CodeOf(err) != "worker.protocol" {
		t.Errorf("a worker that was updated too early: %v", err)
	}
	if known, err := r.Worker(t.Context(), w.ID); err != nil || known.Version != "9.0.0" {
		t.Errorf("its page shows %v, %v", known, err)
	}
}
