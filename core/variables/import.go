package variables

import (
	"context"
	"fmt"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
)

// Imported says what an import did.
type Imported struct {
	Created   int
	Updated   int
	Unchanged int // also secrets that came without a value
}

// Import takes .env text into a scope, all of it or nothing. A name that exists gets the
// new value and stays secret if it is; a secret that comes with an empty value keeps the
// stored one. A new name becomes a plain variable, or an internal secret when secret is
// set. Nothing is deleted. Invalid "variable.invalid_text" names each bad line.
func (d *Desk) Import(ctx context.Context, o Owner, text string, secret bool, by access.Principal) (Imported, error) {
	if err := fault.BadFields("variable.invalid", o.check()); err != nil {
		return Imported{}, err
	}
	assignments, err := ParseDotenv(text)
	if err != nil {
		return Imported{}, err
	}
	if err := lineFault(checkAssignments(assignments)); err != nil {
		return Imported{}, err
	}
	var did Imported
	err = d.store.ImportVariables(ctx, o, func(existing map[string]Stored) (changed []Stored, err error) {
		changed, did, err = d.plan(o, assignments, secret, existing)
		return changed, err
	}, by)
	if err != nil {
		return Imported{}, err
	}
	return did, nil
}

func checkAssignments(assignments []Assignment) []lineProblem {
	var bad []lineProblem
	first := map[string]int{}
	for _, a := range assignments {
		switch {
		case !ValidName(a.Name):
			bad = append(bad, lineProblem{a.Line, "the name has other characters than letters, digits and _, begins with a digit or is too long"})
		case first[a.Name] > 0:
			bad = append(bad, lineProblem{a.Line, fmt.Sprintf("%s is there already, at line %d", a.Name, first[a.Name])})
		default:
			first[a.Name] = a.Line
		}
		if problem := ValueProblem(a.Value); problem != "" {
			bad = append(bad, lineProblem{a.Line, "the value: " + problem})
		}
	}
	return bad
}

// plan decides what each assignment changes, given what exists by name.
func (d *Desk) plan(o Owner, assignments []Assignment, secret bool, existing map[string]Stored) ([]Stored, Imported, error) {
	var did Imported
	var changed []Stored
	var bad []lineProblem
	for _, a := range assignments {
		v, news, err := d.assign(o, a, secret, existing)
		switch {
		case fault.Is(err, fault.Invalid) || fault.Is(err, fault.Conflict):
			bad = append(bad, lineProblem{a.Line, a.Name + ": " + fault.PublicOf(err)})
			continue
		case err != nil:
			return nil, did, err
		case !news:
			did.Unchanged++
			continue
		case existing[a.Name].ID == "":
			did.Created++
		default:
			did.Updated++
		}
		changed = append(changed, v)
	}
	return changed, did, lineFault(bad)
}

// assign makes a variable of one assignment; news is false when it is there already.
func (d *Desk) assign(o Owner, a Assignment, secret bool, existing map[string]Stored) (v Stored, news bool, err error) {
	if v, found := existing[a.Name]; found {
		return d.apply(v, Change{Value: &a.Value})
	}
	draft := Draft{Owner: o, Name: a.Name, Value: a.Value, Secret: secret}
	if secret {
		draft.Provider = secrets.Internal
	}
	if err := fault.BadFields("variable.invalid", draft.checkSecret()); err != nil {
		return Stored{}, false, err
	}
	v, err = d.fresh(draft)
	return v, true, err
}

// Export returns the variables of a scope as .env text, by name. Secrets come without
// their values, so that importing the text again keeps them.
func (d *Desk) Export(ctx context.Context, o Owner) (string, error) {
	if err := fault.BadFields("variable.invalid", o.check()); err != nil {
		return "", err
	}
	all, err := d.store.OwnVariables(ctx, o)
	if err != nil {
		return "", err
	}
	assignments := make([]Assignment, len(all))
	for i, v := range all {
		assignments[i] = Assignment{Name: v.Name, Value: v.Value}
		if v.Secret {
			assignments[i] = Assignment{Name: v.Name, Note: "secret: its value is not exported"}
		}
	}
	return WriteDotenv(assignments), nil
}
