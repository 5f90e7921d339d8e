package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/core/stacks"
)

// overlay is a secrets file that lies over a stack's variables: where both have a name, the file wins.
// The encrypted bytes belong to the revision, so that what is put in place again later has the values that
// it had; they are decrypted each time, in memory, with the key that the repository has then.
type overlay struct {
	file    string // its path in the repository, for messages; of a kept revision its name
	content []byte // nil: there is none
	names   []string
	broken  error // its names cannot be read: whatever needs it fails with this
}

// digest identifies the encrypted bytes; empty: there are none.
func (o overlay) digest() string {
	if o.content == nil {
		return ""
	}
	sum := sha256.Sum256(o.content)
	return hex.EncodeToString(sum[:])
}

// over returns the stack's variables with those of the file in their place, as secret ones.
func (o overlay) over(all []core.ComposeVariable) []core.ComposeVariable {
	all = slices.DeleteFunc(slices.Clone(all), func(v core.ComposeVariable) bool { return slices.Contains(o.names, v.Name) })
	for _, name := range o.names {
		all = append(all, core.ComposeVariable{Name: name, Secret: true})
	}
	return all
}

// headOverlay reads the secrets file in a stack's folder. What is wrong with the file itself is kept for
// the phase that is about secrets.
func (h *Hub) headOverlay(ctx context.Context, tree core.Tree, folder string) (o overlay, err error) {
	o.file = path.Join(folder, repositories.SecretsFile)
	o.content, err = repositories.ReadSecretsFile(ctx, tree, folder)
	if err == nil && o.content != nil {
		o.names, err = h.opts.SecretsFiles.Names(o.content)
	}
	if fault.Is(err, fault.Invalid) || fault.Is(err, fault.TooLarge) {
		o.broken, err = inSecrets(o.file, err), nil
	}
	return o, err
}

// keptOverlay reads the secrets file that a kept revision was rendered with.
func (h *Hub) keptOverlay(rev stacks.Revision) (o overlay, err error) {
	if rev.SecretsFile == "" {
		return o, nil
	}
	o.file = fmt.Sprintf("%s of revision %d", repositories.SecretsFile, rev.Number)
	blob, err := h.opts.Files.OpenBlob(rev.SecretsFile)
	if err != nil {
		return o, err
	}
	o.content, err = io.ReadAll(io.LimitReader(blob, repositories.MaxSecretsFile+1))
	err = errors.Join(err, blob.Close())
	if err == nil && o.digest() != rev.SecretsFile {
		err = fmt.Errorf("the stored %s is damaged", o.file)
	}
	return o, err
}

// laidOver decrypts the file with its repository's key.
func (h *Hub) laidOver(ctx context.Context, repository core.RepositoryID, o overlay) (map[string]secrets.Value, error) {
	if o.broken != nil {
		return nil, o.broken
	}
	if o.content == nil {
		return nil, nil
	}
	began := h.opts.Now()
	values, err := h.opts.SecretsFiles.Open(ctx, repository, o.content)
	h.opts.Meter.Resolved("sops", err == nil, h.opts.Now().Sub(began))
	if err != nil {
		return nil, inSecrets(o.file, err)
	}
	return values, nil
}

// inSecrets says which file a fault is about.
func inSecrets(file string, err error) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	named := *f
	named.Public = fmt.Sprintf("%s: %s", file, f.Public)
	return &named
}

// valuesOf resolves the named secrets of a stack, all or none: through the file what it has, through the
// stack's variables the others.
func (h *Hub) valuesOf(ctx context.Context, stack core.StackID, laid map[string]secrets.Value, names []string) (map[string]secrets.Value, error) {
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, has := laid[name]; return has })
	values, err := h.opts.Variables.Secrets(ctx, stack, others)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if value, has := laid[name]; has {
			values[name] = value
		}
	}
	return values, nil
}

// keptValues resolves what the compose services of a kept revision use: its own secrets file, and the
// stack's variables as they are today.
func (h *Hub) keptValues(ctx context.Context, repository core.RepositoryID, rev stacks.Revision) (map[string]secrets.Value, error) {
	o, err := h.keptOverlay(rev)
	if err != nil {
		return nil, err
	}
	laid, err := h.laidOver(ctx, repository, o)
	if err != nil {
		return nil, err
	}
	return h.valuesOf(ctx, rev.Stack, laid, secretNames(rev.Services))
}
