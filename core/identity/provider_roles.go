package identity

import (
	"fmt"
	"slices"
	"strings"

	"berth/core/access"
)

// anyClaim is the claim value that stands for everybody.
const anyClaim = "*"

// RoleMap says which role a claim's values give.
type RoleMap map[string]access.Role

// ParseRoleMap reads value=role pairs with commas between them. A value may have "=" in it, as names of directories do. An
// error says which entry is wrong and shows nothing of it.
func ParseRoleMap(text string) (RoleMap, error) {
	roles := RoleMap{}
	for part := range strings.SplitSeq(text, ",") {
		number := len(roles) + 1
		at := strings.LastIndexByte(part, '=')
		if at < 1 {
			return nil, fmt.Errorf("has an entry, number %d, that is not of the form value=role", number)
		}
		value, role := strings.TrimSpace(part[:at]), access.Role(strings.TrimSpace(part[at+1:]))
		if !role.Valid() {
			return nil, fmt.Errorf("has an entry, number %d, whose role is none; roles are viewer, monitoring, operator and admin", number)
		}
		if _, twice := roles[value]; twice || value == "" {
			return nil, fmt.Errorf("has an entry, number %d, whose value is empty or was there before", number)
		}
		roles[value] = role
	}
	return roles, nil
}

// Role returns the highest role that one of the values gives; false when none does.
func (m RoleMap) Role(values []string) (access.Role, bool) {
	best := -1
	for _, value := range append([]string{anyClaim}, values...) {
		if role, found := m[value]; found {
			best = max(best, slices.Index(access.Roles, role))
		}
	}
	if best < 0 {
		return "", false
	}
	return access.Roles[best], true
}
