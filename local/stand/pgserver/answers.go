package pgserver

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// answers waits until the process takes connections at url. What it wrote to the file log below dir is told with
// the error when it ended instead, or never answered.
func (p *process) answers(url, dir string) error {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), starting)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := db.PingContext(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("it ended while it started: %w\n%s", err, said(dir))
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w\n%s", err, said(dir))
		case <-tick.C:
		}
	}
}

// said is what a process wrote to its log below dir, as far as that can be read.
func said(dir string) []byte {
	text, _ := os.ReadFile(filepath.Join(dir, "log"))
	return text
}
