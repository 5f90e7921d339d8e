package access

// Role is what a user or service account may do. Roles are ranked, lowest first:
// viewer < monitoring < operator < admin. Monitoring ranks above viewer for metrics
// but may do nothing else: the least privilege for a scraper.
type Role string

// The roles.
const (
	RoleViewer     Role = "viewer"
	RoleMonitoring Role = "monitoring"
	RoleOperator   Role = "operator"
	RoleAdmin      Role = "admin"
)

// Roles lists all roles, lowest first.
var Roles = []Role{RoleViewer, RoleMonitoring, RoleOperator, RoleAdmin}

// Valid reports whether r is one of Roles.
func (r Role) Valid() bool {
	for _, known := range Roles {
		if r == known {
			return true
		}
	}
	return false
}

// Capability is what a route demands of the one who asks.
type Capability string

// The capabilities, each declared by the routes that need it.
const (
	Public     Capability = "public"     // no credential: health, sign-in, set-up
	SignedIn   Capability = "signed_in"  // any enabled principal: about oneself
	Metrics    Capability = "metrics"    // read metrics and target discovery
	View       Capability = "view"       // read everything but settings
	Operate    Capability = "operate"    // deploy; edit stacks, jobs, repositories, variables
	Administer Capability = "administer" // settings, users, workers, service accounts, backups, audit
)

// matrix is the whole truth about roles: a capability that is missing is refused.
var matrix = map[Capability]map[Role]bool{
	SignedIn:   {RoleViewer: true, RoleMonitoring: true, RoleOperator: true, RoleAdmin: true},
	Metrics:    {RoleMonitoring: true, RoleOperator: true, RoleAdmin: true},
	View:       {RoleViewer: true, RoleOperator: true, RoleAdmin: true},
	Operate:    {RoleOperator: true, RoleAdmin: true},
	Administer: {RoleAdmin: true},
}

// Can reports whether the role has the capability. Everyone has Public; an unknown
// role or capability has nothing.
func (r Role) Can(c Capability) bool { return c == Public || matrix[c][r] }

// Known reports whether c is one of the capabilities; a route that declares another is refused.
func (c Capability) Known() bool { return c == Public || matrix[c] != nil }
