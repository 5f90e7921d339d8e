package api

import (
	"berth/core/jobs"
)

// DefinitionAnswer is what a job.yaml says, with the defaults filled in.
type DefinitionAnswer struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description"`
	Cron                 string          `json:"cron"` // as written; "": on demand only
	Timezone             string          `json:"timezone"`
	Tags                 []string        `json:"tags"` // that a worker must have
	Group                string          `json:"group"`
	Mode                 jobs.Mode       `json:"mode"`
	Image                string          `json:"image"`
	Command              []string        `json:"command"` // words; empty: the image's own
	Volumes              []VolumeAnswer  `json:"volumes"`
	Network              string          `json:"network"` // "": the engine's default
	Configs              []ConfigAnswer  `json:"configs"`
	Overlap              jobs.Overlap    `json:"overlap"`
	Retries              RetriesAnswer   `json:"retries"`
	StartDeadlineSeconds int64           `json:"start_deadline_seconds"` // how late a run may begin
	Resources            ResourcesAnswer `json:"resources"`
}

// VolumeAnswer is a mount of a run's container.
type VolumeAnswer struct {
	Source   string `json:"source"` // name of a volume, or a folder of the host
	Target   string `json:"target"`
	ReadOnly bool   `json:"read_only"`
}

// ConfigAnswer is a file of the repository that is mounted read-only.
type ConfigAnswer struct {
	File   string `json:"file"` // relative to the job's folder
	Target string `json:"target"`
}

// RetriesAnswer says how often a run that failed is tried again.
type RetriesAnswer struct {
	Count          int   `json:"count"`
	BackoffSeconds int64 `json:"backoff_seconds"` // pause before the first; doubled each time, at most an hour
}

// ResourcesAnswer bounds what a run may use.
type ResourcesAnswer struct {
	CPU            float64 `json:"cpu"`             // processors
	Memory         int64   `json:"memory"`          // bytes
	TimeoutSeconds int64   `json:"timeout_seconds"` // from the start of the container
}

func showDefinition(d jobs.Definition) DefinitionAnswer {
	answer := DefinitionAnswer{
		Name: d.Name, Description: d.Description, Cron: d.Cron, Timezone: d.Timezone, Tags: orEmpty(d.Tags), Group: d.Group, Mode: d.Mode, Image: d.Image,
		Command: orEmpty(d.Command), Volumes: []VolumeAnswer{}, Network: d.Network, Configs: []ConfigAnswer{}, Overlap: d.Overlap,
		Retries:              RetriesAnswer{Count: d.Retries.Count, BackoffSeconds: int64(d.Retries.Backoff.Seconds())},
		StartDeadlineSeconds: int64(d.StartDeadline.Seconds()),
		Resources:            ResourcesAnswer{CPU: d.Resources.CPU, Memory: d.Resources.Memory, TimeoutSeconds: int64(d.Resources.Timeout.Seconds())},
	}
	for _, v := range d.Volumes {
		answer.Volumes = append(answer.Volumes, VolumeAnswer(v))
	}
	for _, c := range d.Configs {
		answer.Configs = append(answer.Configs, ConfigAnswer(c))
	}
	return answer
}
