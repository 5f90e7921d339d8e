package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"berth/local/stand/apiclient"
)

// patience is how long one call may take.
const patience = 6 * time.Minute

// maxRetries bounds a call that came too soon after many others.
const maxRetries = 200

// call makes a request and decodes the answer into answer, unless that is nil; being told to slow
// down is waited out.
func call(ctx context.Context, c *apiclient.Client, method, path string, ask, answer any) error {
	for range maxRetries {
		status, err := c.Ask(ctx, method, path, ask, answer)
		if status != http.StatusTooManyRequests {
			return err
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s %s: the server went on answering 429", method, path)
}

func get[T any](ctx context.Context, c *apiclient.Client, path string) (T, error) {
	var answer T
	err := call(ctx, c, http.MethodGet, path, nil, &answer)
	return answer, err
}

func post[T any](ctx context.Context, c *apiclient.Client, path string, ask any) (T, error) {
	var answer T
	err := call(ctx, c, http.MethodPost, path, ask, &answer)
	return answer, err
}
