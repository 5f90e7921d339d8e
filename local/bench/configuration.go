package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"berth/handlers/api"
)

// configurationStacks is how many stacks the file of the measurement configuration has, each with two variables.
const configurationStacks = 1000

// measureConfiguration applies a file of many stacks to an empty server, exports it, and plans the same again.
func measureConfiguration(ctx context.Context, b *bench) (figures []figure, err error) {
	s, err := b.newSite("bench-configuration")
	if err != nil {
		return nil, err
	}
	srv, _, err := b.startLocal(ctx, s, "SCAN_INTERVAL=1h", "BACKUP_INTERVAL=0s", "BACKUP_REHEARSAL_INTERVAL=0s")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	if err := srv.setUp(ctx); err != nil {
		return nil, err
	}
	return srv.configured(ctx, configurationOf(configurationStacks), b.runs)
}

// configurationOf is a file with one repository and this many stacks.
func configurationOf(stacks int) []byte {
	var file strings.Builder
	file.WriteString("version: 1\nrepositories:\n  - name: bench\n    url: https://git.example/bench\nstacks:\n")
	for i := range stacks {
		fmt.Fprintf(&file, "  - name: stack-%04d\n    repository: bench\n    path: apps/stack-%04d\n    auto_sync: false\n    variables:\n      - name: PORT\n        value: \"%d\"\n      - name: TOKEN\n        secret: internal\n", i, i, 1024+i)
	}
	return []byte(file.String())
}

// configured applies a file, and measures what can be repeated with it.
func (s *server) configured(ctx context.Context, file []byte, runs int) ([]figure, error) {
	began := time.Now()
	var report api.ConfigurationReport
	if err := s.bring(ctx, "/apply", file, &report); err != nil {
		return nil, err
	}
	applied := time.Since(began)
	if want := 1 + 3*configurationStacks; report.Changed != want || report.Failed > 0 {
		return nil, fmt.Errorf("applying the file made %d things and failed with %d, want %d", report.Changed, report.Failed, want)
	}
	var exports, plans, again []time.Duration
	var kept []byte
	for range min(runs, 5) {
		began = time.Now()
		var err error
		if kept, err = s.export(ctx); err != nil {
			return nil, err
		}
		exports = append(exports, time.Since(began))
		began = time.Now()
		var plan api.ConfigurationPlan
		if err := s.bring(ctx, "/plan", kept, &plan); err != nil {
			return nil, err
		}
		plans = append(plans, time.Since(began))
		began = time.Now()
		if err := s.bring(ctx, "/apply?fingerprint="+plan.Fingerprint, kept, &report); err != nil {
			return nil, err
		}
		again = append(again, time.Since(began))
		if plan.Changes != 0 || report.Changed != 0 {
			return nil, fmt.Errorf("what was exported would change %d things, and changed %d", plan.Changes, report.Changed)
		}
	}
	return []figure{
		{name: fmt.Sprintf("configuration of %d stacks with 2 variables each: applied to an empty server", configurationStacks), result: ms(applied)},
		{name: "  exported", result: spread(exports)},
		{name: "  planned, with nothing to do", result: spread(plans)},
		{name: "  applied again, with nothing to do", result: spread(again)},
		{name: "  size of the file", result: fmt.Sprintf("%d bytes", len(kept))},
	}, nil
}

// export fetches the server's file.
func (s *server) export(ctx context.Context) ([]byte, error) {
	return s.sendFile(ctx, http.MethodGet, "", nil)
}

// bring sends a file and reads the answer.
func (s *server) bring(ctx context.Context, path string, file []byte, answer any) error {
	text, err := s.sendFile(ctx, http.MethodPost, path, file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

func (s *server) sendFile(ctx context.Context, method, path string, file []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.client.URL+"/api/custom/configuration"+path, bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Service-Api-Key", s.client.Key)
	request.Header.Set("Content-Type", api.ConfigurationMedia)
	response, err := s.client.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: %s: %.500s", method, path, response.Status, text)
	}
	return text, nil
}
