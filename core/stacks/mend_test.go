package stacks

import (
	"strings"
	"testing"

	"berth/core/fault"
)

func TestOnlyAChangeMendsTheseFaults(t *testing.T) {
	for code := range mended {
		if !Stands(code) || !strings.Contains(strings.Join(fault.Codes, "\n")+"\n", code+"\n") {
			t.Errorf("%s is no code that stands", code)
		}
	}
	for _, code := range fault.Codes {
		noun, _, _ := strings.Cut(code, ".")
		outside := noun == "compose" || code == "lint.failed"
		if by := outside || noun == "manifest" || noun == "sops"; Stands(code) != by || MendedOutside(code) != outside {
			t.Errorf("%s stands: %v, may be mended outside the folder: %v", code, Stands(code), MendedOutside(code))
		}
	}
	if Stands("") || Stands("secret.unresolved") || Stands("engine.image") || Stands("git.unreachable") {
		t.Error("a fault that time mends stands")
	}
}

func TestAFailureStandsUntilSomethingIsPlanned(t *testing.T) {
	s := Stack{Status: StatusError, AutoSync: true, Retry: Retry{Of: "dep_1"}}
	planned, off, well := s, s, s
	planned.RetryAt = planned.RetryAt.AddDate(1, 0, 0)
	off.AutoSync, well.Status = false, StatusActive
	repair := off
	repair.Retry.Aim.Revision = 1
	if !s.Stands() || !repair.Stands() || planned.Stands() || off.Stands() || well.Stands() || (Stack{Status: StatusError, AutoSync: true}).Stands() {
		t.Error("it does not stand as it should")
	}
	if !(Deployment{State: DeploymentFailed}).Untouched() || (Deployment{State: DeploymentFailed, Revision: 1}).Untouched() || (Deployment{State: DeploymentLost}).Untouched() {
		t.Error("what is untouched is not told")
	}
}
