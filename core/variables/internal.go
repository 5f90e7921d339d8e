package variables

import (
	"context"
	"fmt"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/secrets"
)

// InternalProvider resolves the secrets that lie sealed in Berth's own database. It
// knows a secret by the identifier of its variable.
type InternalProvider struct {
	store  SealedStore
	opener Opener
}

// NewInternalProvider returns the provider called secrets.Internal.
func NewInternalProvider(store SealedStore, opener Opener) *InternalProvider {
	return &InternalProvider{store, opener}
}

// Name returns secrets.Internal.
func (*InternalProvider) Name() string { return secrets.Internal }

// Resolve implements secrets.Provider.
func (p *InternalProvider) Resolve(ctx context.Context, refs []secrets.Ref) (map[string]secrets.Value, error) {
	ids := make([]core.VariableID, len(refs))
	for i, ref := range refs {
		ids[i] = core.VariableID(ref.Reference)
	}
	sealed, err := p.store.SealedVariables(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read secret variables: %w", err)
	}
	values := make(map[string]secrets.Value, len(refs))
	var problems []string
	var cause error
	for i, ref := range refs {
		envelope, found := sealed[ids[i]]
		if !found {
			problems = append(problems, ref.Variable+" has no value; enter one")
			continue
		}
		value, err := p.opener.Open(Place(ids[i]), envelope)
		if err != nil {
			problems = append(problems, "the stored value of "+ref.Variable+" cannot be opened; enter it again")
			cause = err
			continue
		}
		values[ref.Variable] = secrets.NewValue(string(value))
	}
	if len(problems) == 0 {
		return values, nil
	}
	return values, fault.New(fault.Conflict, "secret.no_value", "%s", strings.Join(problems, "; ")).Because(cause)
}
