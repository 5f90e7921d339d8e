package secrets

import "context"

// The names of the providers that secret variables may have.
const (
	Internal = "internal" // sealed in Berth's own database
	Vault    = "vault"    // an external key-value v2 vault
	Manager  = "manager"  // an external secrets manager
)

// KnownProvider reports whether name is one that a variable may have, enabled or not.
func KnownProvider(name string) bool { return name == Internal || name == Vault || name == Manager }

// Ref says where the value of one variable is to be found.
type Ref struct {
	Variable  string // name of the variable: unique among the references that are resolved together
	Provider  string // name of its provider
	Reference string // what the provider knows it by; never a value
}

// Provider is a place where secret values live.
type Provider interface {
	// Name is Internal, Vault or Manager.
	Name() string
	// Resolve returns the values of refs, which are all this provider's, by the name of
	// the variable. When it lacks some, it returns the others together with an error that
	// says why: a fault, without any value. It honours the context's deadline.
	Resolve(ctx context.Context, refs []Ref) (map[string]Value, error)
}
