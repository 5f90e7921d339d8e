package repositories

import (
	"time"

	"berth/core"
)

// Provider is the kind of Git host that a delivery came from.
type Provider string

// The providers.
const (
	ProviderGitHub    Provider = "github"
	ProviderGitLab    Provider = "gitlab"
	ProviderGitea     Provider = "gitea" // and Forgejo
	ProviderBitbucket Provider = "bitbucket"
	ProviderGeneric   Provider = "generic" // anything that can send a bearer token
)

// Providers lists them all.
var Providers = []Provider{ProviderGitHub, ProviderGitLab, ProviderGitea, ProviderBitbucket, ProviderGeneric}

// DeliveryResult says what a delivery did.
type DeliveryResult string

// The results. Of those that are refused nothing is stored but when that was last.
const (
	DeliveryAccepted   DeliveryResult = "accepted"   // a look at the repository was asked for
	DeliveryIgnored    DeliveryResult = "ignored"    // it is about something else; its reason says what
	DeliveryUnreadable DeliveryResult = "unreadable" // its signature is right and its body cannot be read
	DeliveryRepeated   DeliveryResult = "repeated"   // it came before, and does nothing again
	DeliveryRefused    DeliveryResult = "refused"    // it could not prove where it comes from
)

// DeliveryResults lists them all.
var DeliveryResults = []DeliveryResult{DeliveryAccepted, DeliveryIgnored, DeliveryUnreadable, DeliveryRepeated, DeliveryRefused}

// Delivery is one call of a repository's webhook that proved where it comes from.
type Delivery struct {
	ID         core.DeliveryID
	Repository core.RepositoryID
	Provider   Provider
	HostID     string // the host's own identifier of it; empty: it gave none
	Digest     string // of a signed body, by which it is known again under another HostID; empty: it was not signed
	Event      string // as the host names it
	Ref        string // full, such as refs/heads/main; empty: it is about none
	Commit     core.Commit
	Result     DeliveryResult
	Reason     string // for people: why that is its result
	ReceivedAt time.Time
	ReplayOf   core.DeliveryID // empty: a Git host sent it

	Repeats    int       // how often it came again
	RepeatedAt time.Time // when last; zero: never

	// LookedAt is when the look that an accepted one asked for had ended, and Outcome what came of that. Deliveries that
	// come close after each other share one look.
	LookedAt time.Time
	Outcome  string
}

// Limits of what is kept of deliveries.
const (
	MaxDeliveries = 500 // of one repository
	MaxSecrets    = 2   // that are good at once: the newest, and the one before
)

// WebhookSecret is what a Git host proves itself with, without its value.
type WebhookSecret struct {
	ID     core.WebhookSecretID
	MadeAt time.Time
	MadeBy string // as audit shows it
}

// Webhook is how a repository is told of pushes.
type Webhook struct {
	Repository Repository
	Secrets    []WebhookSecret // newest first, at most MaxSecrets; none: the webhook is off
	LastAt     time.Time       // when a delivery last came, whatever it did; zero: never
	RefusedAt  time.Time       // when one was last refused, to the nearest ten seconds; zero: never
}
