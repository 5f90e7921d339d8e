package allinone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/config"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/seal"
	"berth/hub/workerrun"
)

// tokenFile holds the worker token of the worker inside, readable by this user only: it
// is on the host that it admits, as a token on any worker's host is.
const tokenFile = "worker.token"

// runWorker runs the worker inside. It dials the real worker port, as every worker does.
func (p *parts) runWorker(ctx context.Context) error {
	token, err := p.insideToken(ctx)
	if err != nil {
		return err
	}
	hostname, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("the host's name: %w", err)
	}
	return workerrun.Run(ctx, config.Worker{
		ServerURL:   fmt.Sprintf("https://127.0.0.1:%d", p.cfg.Server.TLSWorkerPort),
		WorkerToken: token, Hostname: cmp.Or(os.Getenv("HOSTNAME"), hostname), HeartbeatInterval: p.cfg.Server.HeartbeatInterval,
		WorkerStackDir: p.cfg.WorkerStackDir, WorkerDataDir: p.cfg.WorkerDataDir, WorkerAllow: p.cfg.Server.WorkerAllow, WorkerPolicyFile: p.cfg.Server.WorkerPolicyFile,
		// A given certificate names the host of APP_URL, not the loopback address.
		SkipVerify: !p.identity.Pinned,
	}, p.cfg.Version, p.cfg.Log.With("part", "worker"))
}

// insideToken returns the token of the worker inside. It is made when there is none that
// this database knows.
func (p *parts) insideToken(ctx context.Context) (seal.Token, error) {
	file := filepath.Join(p.cfg.WorkerDataDir, tokenFile)
	token, err := readToken(file)
	if err != nil {
		return seal.Token{}, err
	}
	if !token.IsZero() {
		_, err := p.store.HeldWorkerToken(ctx, core.WorkerTokenID(token.ID()))
		if !fault.Is(err, fault.NotFound) {
			return token, err
		}
	}
	issued, err := p.fleet.Issue(ctx, access.System, fleet.TokenAsk{Name: "the worker inside"})
	if err != nil {
		return seal.Token{}, err
	}
	if err := os.MkdirAll(p.cfg.WorkerDataDir, 0o700); err != nil {
		return seal.Token{}, err
	}
	return issued.Secret, writeToken(file, issued.Secret)
}

// writeToken writes the file whole or not at all.
func writeToken(file string, token seal.Token) error {
	temp := file + ".new"
	if err := os.WriteFile(temp, []byte(token.Reveal()+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, file)
}

// readToken returns the zero token when there is no file.
func readToken(file string) (seal.Token, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return seal.Token{}, nil
	}
	if err != nil || len(text) == 0 {
		return seal.Token{}, err
	}
	token, err := seal.ParseToken(strings.TrimSpace(string(text)))
	if err != nil {
		return seal.Token{}, fmt.Errorf("%s does not hold a worker token (%w); remove the file to have a new one made", file, err)
	}
	return token, nil
}
