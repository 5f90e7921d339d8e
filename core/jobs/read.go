package jobs

import (
	"fmt"
	"time"

	"berth/core"
	"berth/core/document"
)

// Limits of what a job.yaml says.
const (
	maxDescription = 2000 // bytes
	maxTags        = 32
	maxSpan        = 7 * 24 * time.Hour // of start_deadline and resources.timeout
	maxItems       = 100                // of volumes, and of configs
	maxPath        = 4096               // bytes
	defaultBackoff = 10 * time.Second
)

// ReadDefinition checks a decoded job.yaml and fills in the defaults. Every problem is reported at once, with its
// line where the document knows it, and what Refusals says too. The file is named in the fault: Invalid "job.invalid".
func ReadDefinition(file string, doc core.Document) (Definition, error) {
	r := reader{document.New(doc)}
	d := Definition{Timezone: "UTC", Mode: ModeOnce, Overlap: OverlapSkip, StartDeadline: DefaultStartDeadline}
	r.Keys("name", "description", "cron", "timezone", "tags", "group", "mode", "image", "command", "volumes", "network", "configs",
		"overlap", "retries", "start_deadline", "resources")
	r.Text("name", &d.Name)
	r.require("name", d.Name != "", "a name for people, such as backup")
	r.LongText("description", &d.Description, maxDescription)
	r.Text("group", &d.Group)
	r.schedule(&d)
	r.tags(&d)
	document.Choice(r.Reader, "mode", &d.Mode, ModeOnce, ModeOnceAll)
	document.Choice(r.Reader, "overlap", &d.Overlap, OverlapSkip, OverlapQueue, OverlapReplace)
	r.image(&d)
	r.command(&d)
	r.volumes(&d)
	r.network(&d)
	r.configs(&d)
	r.retries(&d)
	r.Duration("start_deadline", &d.StartDeadline, time.Second, maxSpan)
	r.resources(&d)
	if err := r.Fault(file, "job.invalid"); err != nil {
		return Definition{}, err
	}
	return d, nil
}

// reader reads the parts of a job.yaml. Each complains about its part alone.
type reader struct{ *document.Reader }

// require complains when what is required at a path is not there; what is there and wrong was complained about already.
func (r reader) require(path string, there bool, what string) {
	if !there && (r.At(path) == nil || r.At(path) == "") {
		r.Complain(path, "is required: %s", what)
	}
}

func (r reader) schedule(d *Definition) {
	r.LongText("cron", &d.Cron, maxCron)
	r.Text("timezone", &d.Timezone)
	if _, text := r.At("cron").(string); text {
		_, problems := parseCron(d.Cron)
		for _, problem := range problems {
			r.Complain("cron", "%s", problem)
		}
	}
	if _, problem := loadZone(d.Timezone); problem != "" {
		r.Complain("timezone", "%.60q %s", d.Timezone, problem)
	}
}

func (r reader) tags(d *Definition) {
	r.Texts("tags", &d.Tags)
	for _, bad := range core.CheckTags("tags", d.Tags) {
		r.Complain(bad.Path, "%s", bad.Problem)
	}
	if len(d.Tags) > maxTags {
		r.Complain("tags", "at most %d", maxTags)
	}
}

func (r reader) image(d *Definition) {
	r.LongText("image", &d.Image, 512)
	r.require("image", d.Image != "", "the image to run, such as alpine:3.20")
	if problem := imageProblem(d.Image); d.Image != "" && problem != "" {
		r.Complain("image", "%s", problem)
	}
}

// command reads a list of words, or one text that is split into words.
func (r reader) command(d *Definition) {
	switch v := r.At("command").(type) {
	case nil:
	case string:
		words, err := splitWords(v)
		if err != nil {
			r.Complain("command", "%v", err)
		}
		d.Command = words
	case []any:
		for i, item := range v {
			word, ok := item.(string)
			if !ok {
				r.Complain(fmt.Sprintf("command[%d]", i), "must be text; put numbers and the like in quotes")
			}
			d.Command = append(d.Command, word)
		}
	default:
		r.Complain("command", "must be a list of words, or one text")
	}
	if problem := commandProblem(d.Command); problem != "" {
		r.Complain("command", "%s", problem)
	}
}

func (r reader) network(d *Definition) {
	r.Text("network", &d.Network)
	if problem := networkProblem(d.Network); d.Network != "" && problem != "" {
		r.Complain("network", "%s", problem)
	}
}

// retries reads a number, or a number with a pause.
func (r reader) retries(d *Definition) {
	count := "retries"
	if _, mapping := r.At("retries").(map[string]any); mapping {
		r.Section("retries", "count", "backoff")
		count = "retries.count"
		r.Duration("retries.backoff", &d.Retries.Backoff, time.Second, maxBackoff)
	}
	switch v := r.At(count).(type) {
	case nil:
	case int64:
		if v < 0 || v > MaxRetries {
			r.Complain(count, "must be from 0 to %d", MaxRetries)
		}
		d.Retries.Count = int(v)
	default:
		r.Complain(count, "must be a number from 0 to %d", MaxRetries)
	}
	if d.Retries.Count > 0 && d.Retries.Backoff == 0 {
		d.Retries.Backoff = defaultBackoff
	}
}
