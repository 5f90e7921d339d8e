package integrations

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"berth/core/backups"
	"berth/core/fault"
	"berth/core/secrets"
)

// Backends makes the clients of secret backends as they are configured now. It is safe for
// concurrent use.
type Backends struct {
	store  Store
	opener Opener
	makers map[string]Maker
	stores map[string]StorageMaker
	teller Teller // nil: nobody is told anything

	mu     sync.Mutex
	made   map[string]made
	placed map[string]placed
}

// made is a client and the version of the settings that it was made of.
type made struct {
	version int
	backend Backend
}

// placed is a storage and the version of the settings that it was made of.
type placed struct {
	version int
	storage backups.Storage
}

// NewBackends returns Backends with a maker for each slug that keeps secrets elsewhere.
func NewBackends(store Store, opener Opener, makers map[string]Maker) *Backends {
	return &Backends{store: store, opener: opener, makers: makers, made: map[string]made{}, placed: map[string]placed{}}
}

// Storing adds a maker for each slug that keeps copies of backups. It is called before anything else.
func (b *Backends) Storing(makers map[string]StorageMaker) *Backends {
	b.stores = makers
	return b
}

// Telling makes test messages be sent by a Teller, and returns b.
func (b *Backends) Telling(t Teller) *Backends {
	b.teller = t
	return b
}

// Targets returns the declarations of the notification targets that are enabled, with what was set of them that is not secret,
// by slug. One that lacks a setting is left out.
func (b *Backends) Targets(ctx context.Context) (map[string]Integration, error) {
	all, err := b.store.Integrations(ctx)
	if err != nil {
		return nil, fmt.Errorf("read integrations: %w", err)
	}
	targets := map[string]Integration{}
	for slug, stored := range all {
		d, err := find(slug)
		if err != nil || d.Category != CategoryNotification {
			continue
		}
		if o, err := open(d, stored, b.opener); err == nil && o.usable() == nil {
			targets[slug] = o.shown()
		}
	}
	return targets, nil
}

// Opened returns a notification target as it is set now. The faults are those of Provider.
func (b *Backends) Opened(ctx context.Context, slug string) (kind string, o Opened, err error) {
	set, err := configured(ctx, b.store, b.opener, slug)
	if err != nil {
		return "", Opened{}, err
	}
	return set.Kind, set.given(), nil
}

// configured returns an integration that is enabled and lacks nothing, opened.
func configured(ctx context.Context, store Store, opener Opener, slug string) (opened, error) {
	o, err := stored(ctx, store, opener, slug)
	if err == nil {
		err = o.usable()
	}
	return o, err
}

func stored(ctx context.Context, store Store, opener Opener, slug string) (opened, error) {
	declaration, err := find(slug)
	if err != nil {
		return opened{}, err
	}
	all, err := store.Integrations(ctx)
	if err != nil {
		return opened{}, fmt.Errorf("read integrations: %w", err)
	}
	return open(declaration, all[slug], opener)
}

// Provider returns the secret provider of this name. Conflict "secret.provider_disabled",
// "secret.provider_unconfigured", "integration.unreadable".
func (b *Backends) Provider(ctx context.Context, name string) (secrets.Provider, error) {
	o, err := configured(ctx, b.store, b.opener, name)
	if err != nil {
		return nil, err
	}
	return b.backend(o)
}

// Test implements Outside.
func (b *Backends) Test(ctx context.Context, slug string) error {
	o, err := stored(ctx, b.store, b.opener, slug)
	if err != nil {
		return err
	}
	o.Stored.Enabled = true // it may be tried before it is enabled
	if err := o.usable(); err != nil {
		return err
	}
	if o.Category == CategoryStorageBackend {
		storage, err := b.storage(o)
		if err != nil {
			return err
		}
		return storage.Test(ctx)
	}
	if o.Category == CategoryNotification && b.teller != nil {
		return b.teller.TellTest(ctx, o.Kind, o.given())
	}
	backend, err := b.backend(o)
	if err != nil {
		return err
	}
	return backend.Test(ctx)
}

// Pick implements Outside.
func (b *Backends) Pick(ctx context.Context, slug string, s Step) ([]Choice, error) {
	o, err := configured(ctx, b.store, b.opener, slug)
	if err != nil {
		return nil, err
	}
	backend, err := b.backend(o)
	if err != nil {
		return nil, err
	}
	choices, err := backend.Pick(ctx, s)
	if err == nil && len(choices) > MaxChoices {
		choices = choices[:MaxChoices]
	}
	return choices, err
}

// backend returns the client for these settings, the one that was made before when nothing changed.
func (b *Backends) backend(o opened) (Backend, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	slug := o.Declaration.Slug
	if known, ok := b.made[slug]; ok && known.version == o.Version {
		return known.backend, nil
	}
	maker := b.makers[slug]
	if maker == nil {
		return nil, fault.New(fault.Invalid, "integration.no_backend", "%s keeps no secrets that variables could name.", o.Name)
	}
	backend, err := maker(o.given())
	if err != nil {
		return nil, err
	}
	b.made[slug] = made{o.Version, backend}
	return backend, nil
}

// given is what a client is made of.
func (o opened) given() Opened {
	held := make(map[string]secrets.Value, len(o.secret))
	for name, value := range o.secret {
		held[name] = secrets.NewValue(value)
	}
	return Opened{Settings: o.plain(), Secrets: held}
}

// Offsite returns the storage that copies of backups go to, as it is configured now; its Storage is nil where none is
// enabled. Conflict "storage.unconfigured", "integration.unreadable".
func (b *Backends) Offsite(ctx context.Context) (backups.Offsite, error) {
	o, err := configured(ctx, b.store, b.opener, S3)
	if fault.CodeOf(err) == "storage.disabled" {
		return backups.Offsite{Version: o.Version}, nil
	}
	if err != nil {
		return backups.Offsite{}, err
	}
	storage, err := b.storage(o)
	if err != nil {
		return backups.Offsite{}, err
	}
	keep, err := strconv.Atoi(o.plain()["keep"])
	if err != nil {
		return backups.Offsite{}, fmt.Errorf("how many copies are kept: %w", err)
	}
	return backups.Offsite{Storage: storage, Keep: backups.Keep{Newest: keep}, Version: o.Version}, nil
}

// storage returns the client for these settings, the one that was made before when nothing changed.
func (b *Backends) storage(o opened) (backups.Storage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	slug := o.Declaration.Slug
	if known, ok := b.placed[slug]; ok && known.version == o.Version {
		return known.storage, nil
	}
	maker := b.stores[slug]
	if maker == nil {
		return nil, fault.New(fault.Conflict, "backup.elsewhere", "This installation keeps everything in PostgreSQL, whose own backups are copied by other means.")
	}
	storage, err := maker(o.given())
	if err == nil {
		b.placed[slug] = placed{o.Version, storage}
	}
	return storage, err
}
