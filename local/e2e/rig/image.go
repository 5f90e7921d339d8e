package rig

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"sync"
	"testing"
)

// busybox is the static program that the image is made of.
const busybox = "/bin/busybox"

var image = sync.OnceValues(func() (string, error) {
	program, err := os.ReadFile(busybox)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(program)
	name := "berth-e2e/box:" + hex.EncodeToString(sum[:6])
	if _, err := docker(nil, "image", "inspect", name); err == nil {
		return name, nil
	}
	archive, err := archiveOf(program)
	if err != nil {
		return "", err
	}
	_, err = docker(archive, "import", "-", name)
	return name, err
})

func archiveOf(program []byte) ([]byte, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&tar.Header{Name: "bin/busybox", Mode: 0o755, Size: int64(len(program))}); err != nil {
		return nil, err
	}
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	for _, command := range []string{"sh", "cat", "echo", "sleep", "true", "false", "test", "touch", "httpd"} {
		if err := w.WriteHeader(&tar.Header{Name: "bin/" + command, Typeflag: tar.TypeSymlink, Linkname: "busybox"}); err != nil {
			return nil, err
		}
	}
	return archive.Bytes(), w.Close()
}

// Image returns the name of an image with a shell, made here: nothing is pulled.
func Image(t testing.TB) string {
	t.Helper()
	name, err := image()
	if err != nil {
		t.Fatalf("make the image of the tests: %v", err)
	}
	return name
}
