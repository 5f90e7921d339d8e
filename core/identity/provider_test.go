package identity

import (
	"testing"

	"berth/core/access"
)

func TestRolesOfClaims(t *testing.T) {
	for name, c := range map[string]struct {
		roles  string
		values []string
		want   access.Role
	}{
		"the highest wins":               {"dev=operator,ops=admin,all=viewer", []string{"all", "ops", "dev"}, access.RoleAdmin},
		"none fits":                      {"dev=operator", []string{"sales"}, ""},
		"none is claimed":                {"dev=operator", nil, ""},
		"everybody":                      {"dev=operator,*=viewer", []string{"sales"}, access.RoleViewer},
		"everybody, and more":            {"dev=operator,*=viewer", []string{"dev"}, access.RoleOperator},
		"a value that looks like a path": {" cn=dev = operator ", []string{"cn=dev"}, access.RoleOperator},
		"case counts":                    {"dev=operator", []string{"Dev"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			roles, err := ParseRoleMap(c.roles)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := roles.Role(c.values); got != c.want || ok != (c.want != "") {
				t.Errorf("got %q, %t", got, ok)
			}
		})
	}
	for _, bad := range []string{"dev", "=admin", "dev=", "dev=root", "dev=viewer,dev=admin", " =admin", "", "dev=viewer,", ",dev=viewer"} {
		if roles, err := ParseRoleMap(bad); err == nil {
			t.Errorf("%q was read as %v", bad, roles)
		}
	}
}
