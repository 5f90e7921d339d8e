package main

import (
	"context"
	"errors"

	"berth/core/seal"
)

// bare measures what a server that does nothing but hold as many links takes for each.
func (t *thousands) bare(ctx context.Context, _ []seal.Token) (figures []figure, err error) {
	t.b.say("bringing %d workers to a bare port, settling for %v", t.n, settled)
	port, err := t.b.startAide("aide-bare-port")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, port.end()) }()
	crowd, err := t.b.startAide("aide-crowd")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, crowd.end()) }()
	var at bareAnswer
	if err := port.ask(bareQuestion{t.n}, &at); err != nil {
		return nil, err
	}
	before, err := memoryOf(port.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	if err := crowd.ask(crowdQuestion{URL: at.URL, Bring: at.Tokens}, new(crowdAnswer)); err != nil {
		return nil, err
	}
	if err := errors.Join(reaches(ctx, crowd, func(online int) bool { return online == t.n }), pause(ctx, settled)); err != nil {
		return nil, err
	}
	after, err := memoryOf(port.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	return []figure{{name: "  floor: a bare server of TLS and WebSocket, for each link", result: kilobytes((after.resident - before.resident) / int64(t.n))}}, nil
}
