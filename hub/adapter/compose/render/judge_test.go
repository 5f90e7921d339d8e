package render

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"

	"berth/core/policy"
)

// TestEverySettingOfAComposeServiceIsJudged: a newer Compose library may bring settings. Each must be sorted in core/policy
// into those that stay within a container and those that do not; until then it is refused.
func TestEverySettingOfAComposeServiceIsJudged(t *testing.T) {
	known := policy.Judged()
	service := reflect.TypeFor[types.ServiceConfig]()
	for i := range service.NumField() {
		name, _, _ := strings.Cut(service.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" && !slices.Contains(known, name) {
			t.Errorf("nobody has judged the setting %s", name)
		}
	}
}
