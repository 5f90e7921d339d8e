package jobs

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"berth/core/fault"
)

// volumes reads texts of the form source:target or source:target:ro.
func (r reader) volumes(d *Definition) {
	for i, item := range r.list("volumes", "source:target") {
		at := fmt.Sprintf("volumes[%d]", i)
		text, ok := item.(string)
		if !ok {
			r.Complain(at, "must be a text of the form source:target or source:target:ro")
			continue
		}
		v, problem := readVolume(text)
		if problem != "" {
			r.Complain(at, "%s", problem)
			continue
		}
		if refused := refusedSource(v.Source); refused != "" {
			r.Complain(at, "%s", refused)
		}
		r.once(at, *d, v.Target)
		d.Volumes = append(d.Volumes, v)
	}
}

// list returns the items of a list at a path; none when there is none, or it is too long.
func (r reader) list(at, of string) []any {
	items, ok := r.At(at).([]any)
	if r.At(at) != nil && !ok || len(items) > maxItems {
		r.Complain(at, "must be a list of at most %d items of the form %s", maxItems, of)
		return nil
	}
	return items
}

// once complains when something else is mounted at a target already.
func (r reader) once(at string, d Definition, target string) {
	for _, v := range d.Volumes {
		if v.Target == target {
			r.Complain(at, "something else is mounted at %.200s already", target)
			return
		}
	}
	for _, c := range d.Configs {
		if c.Target == target {
			r.Complain(at, "something else is mounted at %.200s already", target)
			return
		}
	}
}

var volumeName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{1,127}$`)

// readVolume reads source:target[:ro], or says what is wrong with it.
func readVolume(text string) (v Volume, problem string) {
	parts := strings.Split(text, ":")
	if len(parts) == 3 && (parts[2] == "ro" || parts[2] == "rw") {
		v.ReadOnly = parts[2] == "ro"
		parts = parts[:2]
	}
	if len(parts) != 2 {
		return v, "must be source:target or source:target:ro; the source is the name of a volume or an absolute path of the host"
	}
	v.Source, v.Target = parts[0], parts[1]
	if strings.HasPrefix(v.Source, "/") && cleanPath(v.Source) {
		v.Source = path.Clean(v.Source)
	} else if !volumeName.MatchString(v.Source) {
		return v, fmt.Sprintf("the source %.60q is neither the name of a volume nor an absolute path of the host; name files of the repository under configs", v.Source)
	}
	if problem := targetProblem(v.Target); problem != "" {
		return v, problem
	}
	v.Target = path.Clean(v.Target)
	return v, ""
}

// configs reads mappings of file and target.
func (r reader) configs(d *Definition) {
	for i := range r.list("configs", "{file: app.conf, target: /etc/app.conf}") {
		at := fmt.Sprintf("configs[%d]", i)
		if !r.Section(at, "file", "target") {
			if r.At(at) == nil {
				r.Complain(at, "must be a mapping of file and target")
			}
			continue
		}
		var c Config
		r.LongText(at+".file", &c.File, maxPath)
		r.LongText(at+".target", &c.Target, maxPath)
		if problem := fileProblem(c.File); problem != "" {
			r.Complain(at+".file", "%s", problem)
		}
		if problem := targetProblem(c.Target); problem != "" {
			r.Complain(at+".target", "%s", problem)
			continue
		}
		c.Target = path.Clean(c.Target)
		r.once(at+".target", *d, c.Target)
		d.Configs = append(d.Configs, c)
	}
}

// cleanPath reports whether a text can be a path at all.
func cleanPath(p string) bool {
	return len(p) <= maxPath && !strings.ContainsFunc(p, func(c rune) bool { return c < ' ' || c == 0x7f || c == '\\' })
}

func targetProblem(target string) string {
	if !strings.HasPrefix(target, "/") || !cleanPath(target) || path.Clean(target) == "/" {
		return fmt.Sprintf("the target %.60q is not an absolute path in the container, such as /data", target)
	}
	return ""
}

func fileProblem(file string) string {
	if file == "" || strings.HasPrefix(file, "/") || strings.HasSuffix(file, "/") || !cleanPath(file) {
		return "must be a file of the repository, relative to the job's folder, such as app.conf or ../shared/app.conf"
	}
	return ""
}

// ConfigPath returns the path in the repository of a config file that a job in folder names. Invalid "job.invalid"
// when it leaves the repository.
func ConfigPath(folder, file string) (string, error) {
	at := path.Join(folder, file)
	if fileProblem(file) != "" || at == ".." || strings.HasPrefix(at, "../") || at == "." {
		return "", fault.New(fault.Invalid, "job.invalid", "%s: configs: %.200q is not a file of the repository", path.Join(folder, File), file)
	}
	return at, nil
}
