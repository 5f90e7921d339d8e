package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/containerd/platforms"
	"github.com/moby/moby/api/types/jsonstream"
	"github.com/moby/moby/client"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"

	"berth/core/fault"
	"berth/hub/worker"
)

const (
	pullsAtOnce   = 3               // more only share the same line
	pullProgress  = 3 * time.Second // between two lines about one image
	maxPullLayers = 1000            // that progress is kept of
)

// Pull fetches images. See worker.Engine. It comes first of what a deployment asks for, before
// anything is taken down, so a project that cannot be brought up is refused here already.
func (e *Engine) Pull(ctx context.Context, p worker.Project, force bool, report func(line string)) error {
	hide := redactor(p).Redact
	project, err := e.admitted(ctx, p)
	if err == nil {
		err = e.checkName(ctx, project, p, func(string) {}) // Apply says it
	}
	if err == nil {
		err = e.pull(ctx, project, force, hide, report)
	}
	return e.failed(ctx, err, hide)
}

func (e *Engine) pull(ctx context.Context, project *types.Project, force bool, hide func(string) string, report func(string)) error {
	images, err := wantedImages(project)
	if err != nil {
		return err
	}
	return relay(report, nil, hide, func(progress *progress) error {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(pullsAtOnce)
		for _, w := range images {
			group.Go(func() error {
				needed, err := e.mustPull(ctx, w, force)
				if err == nil && needed {
					err = e.pullOne(ctx, w, progress)
				}
				return about(w.service, err)
			})
		}
		return group.Wait()
	})
}

func (e *Engine) pullOne(ctx context.Context, w wanted, progress *progress) error {
	auth, err := e.registries.auth(ctx, w.image)
	if err != nil {
		return imageFault(w, err.Error(), "Log the host in again with docker login.")
	}
	options := client.ImagePullOptions{RegistryAuth: auth}
	if w.platform != "" {
		platform, err := platforms.Parse(w.platform)
		if err != nil {
			return applyFault("%s: platform %q: %v", w.service, w.platform, err)
		}
		options.Platforms = []ocispec.Platform{platform}
	}
	progress.say(fmt.Sprintf("%s: pulling image %s", w.service, w.image))
	stream, err := e.docker.ImagePull(ctx, w.image, options)
	if err != nil {
		return refused(w, err)
	}
	defer stream.Close()
	if err := follow(ctx, w, stream, progress); err != nil {
		return refused(w, err)
	}
	progress.say(fmt.Sprintf("%s: image %s pulled", w.service, w.image))
	return nil
}

// follow reads a pull to its end and says now and then how far it is.
func follow(ctx context.Context, w wanted, stream client.ImagePullResponse, progress *progress) error {
	layers, said := map[string]jsonstream.Progress{}, time.Now()
	for message, err := range stream.JSONMessages(ctx) {
		if err != nil {
			return err
		}
		if message.Error != nil {
			return message.Error
		}
		if message.Progress != nil && message.Status == "Downloading" && len(layers) < maxPullLayers {
			layers[message.ID] = *message.Progress
		}
		if len(layers) > 0 && time.Since(said) > pullProgress {
			said = time.Now()
			progress.say(w.service + ": " + w.image + ": " + amount(layers))
		}
	}
	return nil
}

func amount(layers map[string]jsonstream.Progress) string {
	var current, total int64
	for _, layer := range layers {
		current, total = current+layer.Current, total+max(layer.Total, layer.Current)
	}
	return fmt.Sprintf("%d of %d MB", current/1e6, total/1e6)
}

func imageFault(w wanted, reason, next string) *fault.Error {
	if w.file != "" {
		next = strings.ReplaceAll(next, "the Compose file", w.file)
	}
	return fault.New(fault.Invalid, "engine.image", "%s: the image %s cannot be used: %s. %s", w.service, w.image, reason, next)
}

// refused says in plain words why an image could not be pulled.
func refused(w wanted, err error) error {
	if client.IsErrConnectionFailed(err) {
		return err
	}
	text := strings.ToLower(err.Error())
	for _, reason := range pullReasons {
		for _, sign := range reason.signs {
			if strings.Contains(text, sign) {
				return imageFault(w, reason.words, reason.next).Because(err)
			}
		}
	}
	return imageFault(w, err.Error(), "Pull it on the host by hand to see more.").Because(err)
}

// pullReasons are what engines and registries answer, in the order in which they are tried.
var pullReasons = []struct {
	signs       []string
	words, next string
}{
	{[]string{"toomanyrequests", "rate limit"}, "the registry's rate limit is reached", "Log the host in with docker login, or wait."},
	{[]string{"x509", "tls:", "server gave http response"}, "the registry's certificate is not trusted by the host", "Add it to the host's Docker configuration."},
	{[]string{"no such host", "dial tcp", "i/o timeout", "connection refused", "network is unreachable", "client.timeout", "context deadline"},
		"its registry cannot be reached from the host", "Check the image's name and the host's network; an image that is on the host needs no registry."},
	{[]string{"pull access denied", "unauthorized", "authentication required", "denied", "no basic auth"}, "the registry refuses it or does not have it", "Check the image's name, and log the host in with docker login when it is private."},
	{[]string{"manifest unknown", "not found", "manifest for"}, "the registry has no such image or tag", "Correct the image in the Compose file, or push it."},
	{[]string{"no matching manifest"}, "it does not exist for the host's platform", "Build it for that platform."},
	{[]string{"no space left"}, "the host's disk is full", "Make room there, for example with docker image prune."},
}
