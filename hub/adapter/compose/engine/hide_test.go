package engine

import (
	"bytes"
	"strings"
	"testing"

	"berth/hub/worker"
)

// A log is without the secrets that its container was given, whoever may know them now.
func TestLogsAreWithoutTheContainersSecrets(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, command: [sh, -c, "env; env >&2; env | base64 -w 0; echo; sleep 3600"], stop_signal: SIGKILL,
  environment: {ALONE: "${TOKEN}", WITHIN: "postgres://u:${WORD}@db", PLAIN: shown-to-all}}}`)
	s.secret("TOKEN", "hunter-alone-1\nsecond line of it")
	s.secret("WORD", "hunter-within-2")
	s.apply()
	read := func(secret map[string]string) string {
		t.Helper()
		var out bytes.Buffer
		if err := s.engine.Logs(t.Context(), s.Name, "web", worker.LogAsk{Tail: 1000, Secret: secret}, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	s.until("it has said everything", func() bool { return strings.Count(read(nil), "PLAIN=shown-to-all") == 2 })
	log := read(map[string]string{"ALONE": "${TOKEN}", "WITHIN": "postgres://u:${WORD}@db"})
	for _, secret := range []string{"hunter", "second line", "aHVudGVy", "h1bnRlci", "odW50ZX"} {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log:\n%s", secret, log)
		}
	}
	if strings.Count(log, "ALONE=[secret]") != 2 || strings.Count(log, "WITHIN=postgres://u:[secret]@db") != 2 || strings.Count(log, "PLAIN=shown-to-all") != 2 {
		t.Errorf("the log is\n%s", log)
	}
}
