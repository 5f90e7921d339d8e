package hubcall_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/hubcall"
)

func TestACallIsProvenOnce(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	caller, hub := hubcall.NewKey([]byte("subkey"), func() time.Time { return at }), hubcall.NewKey([]byte("subkey"), func() time.Time { return at })
	body := []byte(`{"worker":"wrk_1"}`)
	proof := caller.Prove(hubcall.Wake, body)
	if err := hub.Check(hubcall.Wake, body, proof); err != nil {
		t.Fatal(err)
	}
	if code := fault.CodeOf(hub.Check(hubcall.Wake, body, proof)); code != "hub_call.repeated" {
		t.Errorf("the same call again: %q", code)
	}
}

func TestWhatIsNotProvenIsRefused(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return at }
	key := hubcall.NewKey([]byte("subkey"), clock)
	body := []byte(`{}`)
	good := key.Prove(hubcall.Nudge, body)
	parts := strings.Split(good, ".")
	for name, c := range map[string]struct {
		op     hubcall.Op
		body   string
		header string
		code   string
	}{
		"nothing":          {hubcall.Nudge, "{}", "", "hub_call.refused"},
		"noise":            {hubcall.Nudge, "{}", "a.b.c", "hub_call.refused"},
		"no nonce":         {hubcall.Nudge, "{}", parts[0] + ".." + parts[2], "hub_call.refused"},
		"another call":     {hubcall.Metrics, "{}", good, "hub_call.refused"},
		"another body":     {hubcall.Nudge, "[]", good, "hub_call.refused"},
		"another time":     {hubcall.Nudge, "{}", "1800000001." + parts[1] + "." + parts[2], "hub_call.refused"},
		"another nonce":    {hubcall.Nudge, "{}", parts[0] + ".X." + parts[2], "hub_call.refused"},
		"cut short":        {hubcall.Nudge, "{}", good[:len(good)-2], "hub_call.refused"},
		"another key":      {hubcall.Nudge, "{}", hubcall.NewKey([]byte("other"), clock).Prove(hubcall.Nudge, body), "hub_call.refused"},
		"an hour too old":  {hubcall.Nudge, "{}", hubcall.NewKey([]byte("subkey"), func() time.Time { return at.Add(-time.Hour) }).Prove(hubcall.Nudge, body), "hub_call.clock"},
		"an hour too soon": {hubcall.Nudge, "{}", hubcall.NewKey([]byte("subkey"), func() time.Time { return at.Add(time.Hour) }).Prove(hubcall.Nudge, body), "hub_call.clock"},
	} {
		t.Run(name, func(t *testing.T) {
			err := key.Check(c.op, []byte(c.body), c.header)
			if fault.CodeOf(err) != c.code || !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("got %v, want %s", err, c.code)
			}
		})
	}
	if err := key.Check(hubcall.Nudge, body, good); err != nil {
		t.Errorf("the good one was spoilt: %v", err)
	}
}

func TestNoncesAreForgottenOnceTheirTimeIsTooOld(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	key := hubcall.NewKey([]byte("subkey"), func() time.Time { return at })
	proof := key.Prove(hubcall.Nudge, nil)
	for range 5 {
		if err := key.Check(hubcall.Nudge, nil, key.Prove(hubcall.Nudge, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if n := key.Remembered(); n != 5 {
		t.Errorf("%d calls are remembered, want 5", n)
	}
	at = at.Add(2*hubcall.Window + 2*time.Second)
	if err := key.Check(hubcall.Nudge, nil, key.Prove(hubcall.Nudge, nil)); err != nil {
		t.Fatal(err)
	}
	if n := key.Remembered(); n != 1 {
		t.Errorf("%d calls are remembered, want the last", n)
	}
	if code := fault.CodeOf(key.Check(hubcall.Nudge, nil, proof)); code != "hub_call.clock" {
		t.Errorf("an old call that was never made: %q", code)
	}
}

func TestFaultsKeepTheirMeaningOnTheWay(t *testing.T) {
	was := fault.New(fault.TooMany, "worker.busy", "Too many questions.").After(5 * time.Second).Because(errors.New("secret cause"))
	told := hubcall.FaultOf(was)
	is := told.Error()
	if is.Kind != fault.TooMany || is.Code != "worker.busy" || is.Public != "Too many questions." || is.RetryAfter != 5*time.Second || is.Cause != nil {
		t.Errorf("got %+v", is)
	}
	fields := hubcall.FaultOf(fault.BadFields("git.path", []fault.Field{{Path: "path", Problem: "no"}})).Error()
	if len(fields.Fields) != 1 || fields.Fields[0].Problem != "no" {
		t.Errorf("got %+v", fields)
	}
	if plain := hubcall.FaultOf(errors.New("detail of ours")).Error(); plain.Kind != fault.Internal || strings.Contains(plain.Public, "detail of ours") {
		t.Errorf("got %+v", plain)
	}
}
