package repositories

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/secrets"
)

// Times of renewing a token that expires.
const (
	renewBefore = 5 * time.Minute  // it expires so soon that it is renewed first
	renewTime   = 45 * time.Second // in which one process renews it and no other may: refresh tokens are good once
)

// sealedToken is what the sealed part of an oauth key holds.
type sealedToken struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh,omitempty"`
}

func sealable(g Grant) []byte {
	text, err := json.Marshal(sealedToken{Access: g.Access.Reveal(), Refresh: g.Refresh.Reveal()})
	if err != nil {
		panic(err) // two strings always encode
	}
	return text
}

// openToken opens the sealed part of an oauth key.
func openToken(seals Seals, c Credential, sealed seal.Sealed) (access, refresh secrets.Value, err error) {
	text, err := seals.Open(c.place(), sealed)
	if err != nil {
		return secrets.Value{}, secrets.Value{}, unreadable(c, err)
	}
	var kept sealedToken
	if json.Unmarshal(text, &kept) != nil || kept.Access == "" {
		return secrets.Value{}, secrets.Value{}, unreadable(c, nil)
	}
	return secrets.NewValue(kept.Access), secrets.NewValue(kept.Refresh), nil
}

func unreadable(c Credential, cause error) error {
	next := "Replace it under Settings, Repository Keys."
	if c.Type == TypeOAuth {
		next = "Connect its Git host again under Repositories, Add a repository."
	}
	return fault.New(fault.Unavailable, "credential.unreadable", "The secret of the repository key %q cannot be opened. %s", c.Name, next).Because(cause)
}

// Token returns the token of an oauth key, renewed first where it is about to expire.
func (h *GitHosts) Token(ctx context.Context, id core.CredentialID) (Credential, secrets.Value, error) {
	c, sealed, err := h.store.Credential(ctx, id)
	if err != nil {
		return c, secrets.Value{}, err
	}
	token, err := h.token(ctx, c, sealed)
	return c, token, err
}

func (h *GitHosts) token(ctx context.Context, c Credential, sealed seal.Sealed) (secrets.Value, error) {
	access, refresh, err := openToken(h.seals, c, sealed)
	if err != nil || !c.expiring(h.now()) || refresh.Empty() || h.store == nil {
		return access, err
	}
	claimed, err := h.store.ClaimRenewal(ctx, c.ID, h.now().Add(renewTime))
	switch {
	case err != nil:
		return secrets.Value{}, err
	case !claimed && h.now().Before(c.ExpiresAt):
		return access, nil // another process renews it; this one is good for a while
	case !claimed:
		return secrets.Value{}, fault.New(fault.Unavailable, "git_provider.busy", "The token of the repository key %q has expired and is being renewed just now. Try again in a moment.", c.Name).After(time.Second)
	}
	return h.renew(ctx, c.ID)
}

// renew is done by one process at a time. Another may have renewed the token since this one read it.
func (h *GitHosts) renew(ctx context.Context, id core.CredentialID) (secrets.Value, error) {
	c, sealed, err := h.store.Credential(ctx, id)
	if err != nil {
		return secrets.Value{}, err
	}
	access, refresh, err := openToken(h.seals, c, sealed)
	if err != nil || !c.expiring(h.now()) {
		return access, err
	}
	i := slices.IndexFunc(h.hosts, func(host GitHost) bool { return host.Facts().Host == c.Host })
	if i < 0 {
		return secrets.Value{}, fault.New(fault.Conflict, "git_provider.unknown", "The token of the repository key %q has expired, and this server is not set up any more to renew it at %s.", c.Name, c.Host)
	}
	grant, err := h.hosts[i].Renew(ctx, refresh)
	if err != nil {
		return secrets.Value{}, err
	}
	if grant.Refresh.Empty() {
		grant.Refresh = refresh // RFC 6749, section 6: the old one stays good
	}
	renewed, err := h.seals.Seal(c.place(), sealable(grant))
	if err != nil {
		return secrets.Value{}, err
	}
	// The old refresh token is spent: this is stored whatever became of the request.
	return grant.Access, h.store.Renewed(context.WithoutCancel(ctx), id, renewed, grant.ExpiresAt)
}

// expiring reports whether the token of an oauth key has expired or will before it was used.
func (c Credential) expiring(now time.Time) bool {
	return !c.ExpiresAt.IsZero() && now.After(c.ExpiresAt.Add(-renewBefore))
}
