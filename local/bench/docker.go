package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// image is what the measured stacks run: the program of the demo, in nothing else.
const image = "bench-app:1"

// makeImage imports the demo's program as an image; nothing is pulled.
func (b *bench) makeImage(ctx context.Context) error {
	path, err := b.program(ctx, "local/demo/app")
	if err != nil {
		return err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	err = w.WriteHeader(&tar.Header{Name: "app", Mode: 0o755, Size: int64(len(content))})
	if err == nil {
		_, err = w.Write(content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "docker", "import", "-c", `ENTRYPOINT ["/app"]`, "-", image)
	cmd.Stdin = &archive
	_, err = output(cmd)
	return err
}

// containersOf returns the ids of a Compose project's containers.
func containersOf(ctx context.Context, project string) (string, error) {
	ids, err := output(exec.CommandContext(ctx, "docker", "ps", "-aq", "--no-trunc", "--filter", "label=com.docker.compose.project="+project))
	return strings.TrimSpace(ids), err
}

// removeProject removes the containers and networks of a Compose project.
func removeProject(ctx context.Context, project string) error {
	ids, err := containersOf(ctx, project)
	if err != nil {
		return err
	}
	if ids != "" {
		if _, err := output(exec.CommandContext(ctx, "docker", append([]string{"rm", "-f"}, strings.Fields(ids)...)...)); err != nil {
			return err
		}
	}
	networks, err := output(exec.CommandContext(ctx, "docker", "network", "ls", "-q", "--filter", "label=com.docker.compose.project="+project))
	if err != nil || strings.TrimSpace(networks) == "" {
		return err
	}
	_, err = output(exec.CommandContext(ctx, "docker", append([]string{"network", "rm"}, strings.Fields(networks)...)...))
	return err
}

func removeImage(ctx context.Context) error {
	_, err := output(exec.CommandContext(ctx, "docker", "rmi", "-f", image))
	return err
}
