package mail

import "slices"

// Security says how the way to the SMTP server is protected.
type Security string

// The ways. Names and passwords are never told without TLS, but to this very host.
const (
	Implicit Security = "implicit" // TLS from the first byte
	Required Security = "required" // STARTTLS, and nothing is sent to a server that does not offer it
	Offered  Security = "offered"  // STARTTLS where the server offers it
)

// upgraded are the ports whose servers begin in plain text by convention.
var upgraded = []int{25, 587, 2525}

// SecurityOf reads SMTP_TLS. Port 465 speaks TLS from the first byte whatever it says. Otherwise true demands TLS, by
// STARTTLS on the ports where that is how it begins and from the first byte on others; false takes what the server offers.
func SecurityOf(port int, demanded bool) Security {
	switch {
	case port == 465:
		return Implicit
	case !demanded:
		return Offered
	case slices.Contains(upgraded, port):
		return Required
	}
	return Implicit
}

// Setup is what is known of the delivery of e-mail: what the hub was configured with.
type Setup struct {
	Host     string   `json:"host"` // "": e-mail is off
	Port     int      `json:"port"`
	Security Security `json:"security"`
	Login    bool     `json:"login"` // with a name and a password
	Sender   string   `json:"sender"`
}

// Enabled reports whether e-mails are delivered at all.
func (s Setup) Enabled() bool { return s.Host != "" }
