package variables

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"berth/core"
	"berth/core/fault"
	"berth/core/seal"
)

// Limits of variables.
const (
	MaxName     = 255      // bytes
	MaxValue    = 64 << 10 // bytes
	MaxPerScope = 1000     // variables of one stack, one job, or global; and bindings of one stack or job
)

// Scope says what a variable belongs to.
type Scope string

// The scopes. A global variable reaches a stack or job only once it is bound to it.
const (
	ScopeGlobal Scope = "global"
	ScopeStack  Scope = "stack"
	ScopeJob    Scope = "job"
)

// Scopes are all of them.
var Scopes = []Scope{ScopeGlobal, ScopeStack, ScopeJob}

// Owner is what a variable belongs to.
type Owner struct {
	Scope Scope
	ID    string // of the stack or job; empty for ScopeGlobal
}

// Global owns the global variables.
var Global = Owner{Scope: ScopeGlobal}

// OfStack owns the variables of a stack.
func OfStack(id core.StackID) Owner { return Owner{ScopeStack, string(id)} }

// OfJob owns the variables of a job.
func OfJob(id core.JobID) Owner { return Owner{ScopeJob, string(id)} }

// String names the owner for audit and messages: "global" or "stack stk_…".
func (o Owner) String() string { return strings.TrimSpace(string(o.Scope) + " " + o.ID) }

// Variable is an environment variable. It never holds the value of a secret.
type Variable struct {
	ID        core.VariableID
	Owner     Owner
	Name      string // unique for its owner
	Value     string // of a plain variable, byte for byte; empty for a secret
	Secret    bool
	Provider  string // of a secret: secrets.Internal, …; empty for a plain variable
	Reference string // of a secret that an external provider keeps: what it is known by there
	HasValue  bool   // a value that is not empty is stored, or a reference to one
	CreatedAt time.Time
	UpdatedAt time.Time
}

// String names the variable for audit and logs; no value is in it.
func (v Variable) String() string {
	if v.Secret {
		return fmt.Sprintf("%s of %s (secret, %s)", v.Name, v.Owner, v.Provider)
	}
	return fmt.Sprintf("%s of %s", v.Name, v.Owner)
}

// Stored is a variable with what is kept of its value when it is an internal secret.
type Stored struct {
	Variable
	Sealed seal.Sealed // at Place; nil for everything else
}

// Place is where the value of an internal secret is sealed.
func Place(id core.VariableID) seal.Place {
	return seal.Place{Table: "variables", Row: string(id), Column: "sealed"}
}

var namePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ValidName reports whether name can be that of a variable.
func ValidName(name string) bool { return len(name) <= MaxName && namePattern.MatchString(name) }

func checkName(name string) []fault.Field {
	if ValidName(name) {
		return nil
	}
	return []fault.Field{{Path: "name", Problem: fmt.Sprintf("letters, digits and _, not beginning with a digit, at most %d of them", MaxName)}}
}

// ValueProblem says what is wrong with a value, without repeating it; empty when nothing is.
func ValueProblem(value string) string {
	switch {
	case len(value) > MaxValue:
		return fmt.Sprintf("more than %d KiB; put larger content into a file of the repository", MaxValue>>10)
	case !utf8.ValidString(value):
		return "not valid UTF-8"
	case strings.ContainsRune(value, 0):
		return "contains a NUL character, which no environment variable can"
	}
	return ""
}

func checkValue(value string) []fault.Field {
	if problem := ValueProblem(value); problem != "" {
		return []fault.Field{{Path: "value", Problem: problem}}
	}
	return nil
}

// check complains about an owner that cannot be one.
func (o Owner) check() []fault.Field {
	switch o.Scope {
	case ScopeGlobal:
		if o.ID != "" {
			return []fault.Field{{Path: "scope_id", Problem: "must be left out: a global variable belongs to no stack or job"}}
		}
		return nil
	case ScopeStack, ScopeJob:
		if o.ID == "" {
			return []fault.Field{{Path: "scope_id", Problem: "is required: the identifier of the " + string(o.Scope)}}
		}
		return nil
	}
	return []fault.Field{{Path: "scope", Problem: "must be global, stack or job"}}
}
