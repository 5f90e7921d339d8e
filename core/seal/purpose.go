package seal

// Purpose says what a subkey is for. Two purposes never share a subkey, so that what
// is made for one is worthless for another.
type Purpose uint8

// The purposes.
const (
	PurposeField       Purpose = iota // secret columns
	PurposeAPIKey                     // API keys of service accounts
	PurposeSession                    // what signs a person in: sessions, invitations, password resets
	PurposeWorker                     // worker tokens
	PurposeOAuthState                 // the state parameter of a Git host's OAuth round trip
	PurposeBackup                     // backup archives of releases that sealed them with the first data key
	PurposeTLS                        // the worker port's own key
	PurposeHub                        // calls between handlers and hub
	PurposeFingerprint                // fingerprints of variables' values
	PurposeCheck                      // the start-up check row
	purposeCount
)

// The names are part of how subkeys are derived: changing one makes everything that
// was made with it unreadable.
var purposeNames = [purposeCount]string{"field", "api-key", "session", "worker", "oauth-state",
	"backup", "tls", "hub", "fingerprint", "check"}

// String returns the purpose's name, in kebab-case.
func (p Purpose) String() string {
	if p >= purposeCount {
		return "unknown"
	}
	return purposeNames[p]
}
