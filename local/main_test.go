package main

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"testing"

	"berth/core/config"
)

func TestTheWorkerInsideHasTheFoldersThatItIsGiven(t *testing.T) {
	key := sha256.Sum256([]byte(t.Name()))
	environment := map[string]string{"SECRET_KEY": hex.EncodeToString(key[:]), "LOCAL_WORKER": "true", "WORKER_DATA_DIR": "/srv/inside"}
	server, problems, _ := config.LoadServer(func(name string) (string, bool) { value, set := environment[name]; return value, set }, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if cfg := configOf(server, slog.Default()); cfg.WorkerDataDir != "/srv/inside" || cfg.WorkerStackDir != "/srv/inside/stacks" {
		t.Errorf("it has %q and %q", cfg.WorkerDataDir, cfg.WorkerStackDir)
	}
}
