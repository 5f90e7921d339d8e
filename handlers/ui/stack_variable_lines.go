package ui

import (
	"time"

	"berth/core/stacks"
	"berth/core/variables"
)

// effectiveLine is a name that a stack sees, from one source: the one that wins, or one that loses.
type effectiveLine struct {
	Variable variableLine
	From     string   // whose it is
	Loses    string   // who wins over it; empty: it counts
	Services []string // compose services that a secret reaches
	Stale    moment   // since when what runs is older; empty: it is not
}

// sourceWords says whose a value is.
var sourceWords = map[variables.Source]string{variables.SourceSOPS: "secrets.yaml", variables.SourceStack: "this stack", variables.SourceGlobal: "global"}

// effectiveLines lists every name with the source that wins, and under it those that it shadows.
func effectiveLines(effective []variables.Effective, own, bound []variables.Variable, base string, now time.Time) []effectiveLine {
	ownBy, boundBy := byName(own), byName(bound)
	line := func(e variables.Effective, source variables.Source) effectiveLine {
		l := effectiveLine{Variable: variableLine{Name: e.Name, Secret: true}, From: sourceWords[source]}
		switch source {
		case variables.SourceStack:
			v := ownBy[e.Name]
			l.Variable = variableOf(v, base+"/"+string(v.ID), now)
		case variables.SourceGlobal:
			v := boundBy[e.Name]
			l.Variable = variableOf(v, "/variables/"+string(v.ID), now)
		}
		l.Variable.Name = e.Name // also of one that was removed meanwhile
		return l
	}
	var all []effectiveLine
	for _, e := range effective {
		winner := line(e, e.Source)
		winner.Services, winner.Stale = e.Services, at(e.Since, now)
		all = append(all, winner)
		for _, source := range e.Shadows {
			loser := line(e, source)
			loser.Loses = sourceWords[e.Source]
			all = append(all, loser)
		}
	}
	return all
}

func byName(all []variables.Variable) map[string]variables.Variable {
	by := make(map[string]variables.Variable, len(all))
	for _, v := range all {
		by[v.Name] = v
	}
	return by
}

// rotationNotice says that containers run with older values than their providers hold.
type rotationNotice struct {
	Names []string // of the variables; empty: nothing is older
	Since moment
	Href  string // where a redeploy is asked for
}

func rotationOf(stack string, r stacks.Rotation, now time.Time) rotationNotice {
	return rotationNotice{Names: r.Stale, Since: at(r.Since, now), Href: stack + "/redeploy"}
}

// gateNotice says that the last deployment did not begin, because secret values were not to be had.
type gateNotice struct {
	Why  string // empty: it did
	Href string // of the deployment
}

// secretsUnresolved is the code of a deployment that did not begin, because secret values could not be had.
const secretsUnresolved = "secret.unresolved"

// gateOf looks at the newest deployment that has ended.
func gateOf(newest []stacks.Deployment) gateNotice {
	for _, d := range newest {
		switch {
		case !d.State.Ended():
			continue
		case d.State == stacks.DeploymentFailed && d.ErrorCode == secretsUnresolved:
			return gateNotice{Why: inBrief(d.Error), Href: deploymentHref(d.ID)}
		}
		return gateNotice{}
	}
	return gateNotice{}
}
