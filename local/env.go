package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// envFile is what the first run writes. The demo's worker runs inside.
const envFile = `# Written once by "local env". Keep this file: without SECRET_KEY the data cannot be read.
SECRET_KEY=%s
BOOTSTRAP_TOKEN=%s
LOCAL_WORKER=true
`

// writeEnv writes a configuration with fresh keys. A file that exists is never touched.
func writeEnv(file string, out, errs io.Writer) int {
	key := make([]byte, 32)
	rand.Read(key)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		fmt.Fprintf(out, "%s exists and stays as it is\n", file)
		return 0
	}
	if err == nil {
		_, err = fmt.Fprintf(f, envFile, hex.EncodeToString(key), rand.Text())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		fmt.Fprintf(errs, "local env: %s cannot be written: %v\n", file, err)
		return 1
	}
	fmt.Fprintf(out, "%s written with fresh keys\n", file)
	return 0
}
