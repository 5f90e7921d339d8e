package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/core/jobs"
)

type jobFacts struct {
	Repository, RepositoryHref string
	Folder                     string
	Commit                     string // whose job.yaml is in force; empty: none was read yet
	Image                      string
	Where                      string // on how many workers it runs
	Tags                       []string
	Limits                     string
	Group, GroupHref           string
	Success                    moment // when a run ended well for the last time
}

func jobFactsOf(ctx context.Context, j jobs.Job, names *names, now time.Time) (jobFacts, error) {
	repository, err := names.repository(ctx, j.Repository)
	d := j.Definition
	f := jobFacts{Repository: repository, RepositoryHref: repositoryHref(j.Repository), Folder: folderName(j.Path), Commit: j.Commit.Short(), Image: d.Image,
		Where: modeWords(d.Mode), Tags: d.Tags, Group: d.Group, Success: at(j.LastSuccessAt, now)}
	if j.Commit != "" {
		f.Limits = strings.Join([]string{cpuWords(d.Resources.CPU), memoryWords(d.Resources.Memory), spell(d.Resources.Timeout)}, ", ")
	}
	if d.Group != "" {
		f.GroupHref = withQuery("/jobs", map[string][]string{"group": {d.Group}})
	}
	return f, err
}

func modeWords(m jobs.Mode) string {
	if m == jobs.ModeOnceAll {
		return "every worker"
	}
	return "one worker"
}

func cpuWords(n float64) string { return strconv.FormatFloat(n, 'g', 4, 64) + " CPU" }

// memoryWords says a number of bytes in the largest unit that tells it exactly.
func memoryWords(bytes int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	for unit, word := range slices.Backward(units) {
		if size := int64(1) << (10 * unit); bytes >= size && bytes%size == 0 {
			return fmt.Sprintf("%d %s", bytes/size, word)
		}
	}
	return "0 bytes"
}

// saidLine is one thing that a job.yaml says.
type saidLine struct {
	Word  string
	Text  string   // in words; empty: Codes tell
	Codes []string // as it is written
}

// saidOf lists what a job's file says beyond its facts.
func saidOf(j jobs.Job) []saidLine {
	if j.Commit == "" {
		return nil
	}
	d := j.Definition
	lines := []saidLine{{Word: "Command", Text: "the image's own"}, {Word: "While another is open", Text: overlapWords[d.Overlap]}, {Word: "After a failure", Text: retryWords(d.Retries)}}
	if len(d.Command) > 0 {
		lines[0] = saidLine{Word: "Command", Codes: d.Command}
	}
	if d.Cron != "" {
		lines = append(lines, saidLine{Word: "May begin late by", Text: spell(d.StartDeadline)})
	}
	if d.Network != "" {
		lines = append(lines, saidLine{Word: "Network", Codes: []string{d.Network}})
	}
	if len(d.Volumes) > 0 {
		lines = append(lines, saidLine{Word: "Volumes", Codes: volumeWords(d.Volumes)})
	}
	if len(d.Configs) > 0 {
		lines = append(lines, saidLine{Word: "Configs", Codes: configWords(d.Configs)})
	}
	return lines
}

var overlapWords = map[jobs.Overlap]string{jobs.OverlapSkip: "the new run is skipped", jobs.OverlapQueue: "the new run waits for its turn", jobs.OverlapReplace: "that one is cancelled first"}

func retryWords(r jobs.Retries) string {
	if r.Count == 0 {
		return "it is not tried again"
	}
	if r.Count == 1 {
		return "tried again once, after " + spell(r.Backoff)
	}
	return fmt.Sprintf("tried again up to %d times, first after %s", r.Count, spell(r.Backoff))
}

func volumeWords(all []jobs.Volume) []string {
	var words []string
	for _, v := range all {
		word := v.Source + ":" + v.Target
		if v.ReadOnly {
			word += ":ro"
		}
		words = append(words, word)
	}
	return words
}

func configWords(all []jobs.Config) []string {
	var words []string
	for _, c := range all {
		words = append(words, c.File+" → "+c.Target)
	}
	return words
}

// median is the one in the middle of some.
func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
