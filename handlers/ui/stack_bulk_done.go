package ui

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// outcome is what came of asking one stack of many. It stands in an address.
type outcome struct {
	stack      core.StackID
	deployment core.DeploymentID // that was asked for; empty: none
	code       string            // why it was refused; empty: it was not
}

func (o outcome) text() string {
	return string(o.stack) + ":" + string(o.deployment) + ":" + o.code
}

func outcomeIn(text string) outcome {
	stack, rest, _ := strings.Cut(text, ":")
	deployment, code, _ := strings.Cut(rest, ":")
	return outcome{core.StackID(stack), core.DeploymentID(deployment), code}
}

func refusalCode(err error) string {
	if err == nil {
		return ""
	}
	return cmp.Or(fault.CodeOf(err), "internal")
}

// refusalWords says why a stack was refused. The address carries the code only, so no link can put words of its
// own into the page.
var refusalWords = map[string]string{
	"stack.not_found": "It was removed before its turn came.",
	"stack.deleting":  "It is being removed.",
	"internal":        "Something went wrong in Berth; the server’s log has the details. Try it again.",
	"store.busy":      "The database was busy. Try it again.",
	"store.disk_full": "The server’s disk is full, so nothing new is begun. Free some space below DATA_DIR and try it again.",
	"store.broken":    "The database takes no writes. The server’s log names the cause; try it again once that is mended.",
}

type stackBulkDonePage struct {
	Word                               string
	Lines                              []bulkLine
	Done, Failed, Waiting, Going, Ends int // of them; Ends: done or failed
	Again                              string
}

var stackBulkDoneView = newView[stackBulkDonePage]("stack_bulk_done.html")

// BulkProgress reads how what was asked goes on.
type BulkProgress interface {
	StackFinder
	Deployment(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error)
}

// StacksDone shows what became of each stack, and follows it.
func StacksDone(reader BulkProgress) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		q := r.URL.Query()
		act, err := bulkActIn(q)
		if err != nil {
			return err
		}
		page, again := stackBulkDonePage{Word: act.word}, url.Values{"do": {act.name}}
		for _, text := range q["stack"][:min(len(q["stack"]), maxBulk)] {
			o := outcomeIn(text)
			line, err := page.tell(r.Context(), reader, act, o)
			if err != nil {
				return err
			}
			if line.Badge.Tone == "bad" || line.Badge.Tone == "warn" {
				again.Add("stack", string(o.stack))
			}
			page.Lines = append(page.Lines, line)
		}
		page.Ends = page.Done + page.Failed
		if again.Has("stack") {
			page.Again = withQuery(stackBulkAt, again)
		}
		f := newFrame(r, inStacks, act.word+" many stacks", crumb{"Stacks", "/stacks"}).following(page.Ends < len(page.Lines))
		if page.Ends == len(page.Lines) {
			f.Live = 0
		} else {
			f.Reload = 5
		}
		return stackBulkDoneView.write(w, r, http.StatusOK, f, page)
	})
}

// tell says how one stack stands, and counts it.
func (p *stackBulkDonePage) tell(ctx context.Context, reader BulkProgress, act bulkAct, o outcome) (bulkLine, error) {
	line := bulkLine{ID: string(o.stack), Href: stackHref(o.stack), Name: "a stack that is gone"}
	s, err := reader.Stack(ctx, o.stack)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return line, err
	}
	if err == nil {
		line.Name = s.Name
	} else {
		line.Href = ""
	}
	if o.code != "" {
		p.Failed++
		line.Badge = badge{"bad", "cross", "Refused"}
		line.What = cmp.Or(refusalWords[o.code], fmt.Sprintf("It was refused (%s). Open the stack and try it there: that page says why.", o.code))
		return line, nil
	}
	if o.deployment == "" {
		p.Done++
		line.Badge = badge{"ok", "check", "Done"}
		if err == nil {
			_, undone := act.would(s)
			if undone {
				line.What = "It was done, and undone since."
			}
		}
		return line, nil
	}
	d, err := reader.Deployment(ctx, o.deployment)
	if fault.Is(err, fault.NotFound) || err == nil && d.Stack != o.stack {
		p.Done++
		line.Badge, line.What = badge{"idle", "question", "Not known"}, "The deployment is not kept any more."
		return line, nil
	}
	if err != nil {
		return line, err
	}
	line.Badge, line.More, line.What = badgeOf(deploymentBadges, d.State), deploymentHref(d.ID), inBrief(d.Error)
	p.count(d.State)
	return line, nil
}

func (p *stackBulkDonePage) count(state stacks.DeploymentState) {
	switch state {
	case stacks.DeploymentQueued:
		p.Waiting++
	case stacks.DeploymentRunning:
		p.Going++
	case stacks.DeploymentSucceeded, stacks.DeploymentSuperseded:
		p.Done++
	default:
		p.Failed++
	}
}
