package integrations

import (
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"berth/core/fault"
)

// CategoryNotification is what tells people.
const CategoryNotification = "notification"

// The kinds of notification targets. Each may be there any number of times: a slug that goes on with a dash and a name, such
// as slack-ops, is a target of its own.
const (
	Webhook = "webhook"
	Slack   = "slack"
	Discord = "discord"
	Ntfy    = "ntfy"
	Email   = "email"
)

// Events are the words that the setting events takes; core/notify says what each means.
var Events = []string{"backup_failed", "backup_old", "deployment_failed", "deployment_restored", "drifted", "job_failed", "job_missed", "offsite_failed",
	"rehearsal_failed", "repository_unreadable", "secret_backend", "worker_away"}

// routing are the settings that every target has: what it is told of.
var routing = []Field{
	{Name: "events", Label: "Events", Help: "Comma-separated: " + strings.Join(Events, ", ") + ". Empty: all.", problem: badEvents},
	{Name: "stacks", Label: "Stacks, jobs, workers and repositories", Help: "Comma-separated names. Empty: all.", problem: badWords},
	{Name: "groups", Label: "Groups", Help: "Comma-separated, as in wireops.yaml and job.yaml. Empty: all.", problem: badWords},
	{Name: "tags", Label: "Tags", Help: "Comma-separated worker tags, of which one must be there. Empty: all.", problem: badWords},
}

// notifications are the declared targets, one of each kind.
var notifications = []Declaration{
	target(Webhook, "Webhook", "A signed POST of JSON to an address of yours.",
		Field{Name: "url", Label: "URL", Help: "https://host/path that takes the request.", Required: true, Target: true, problem: badLink},
		Field{Name: "secret", Label: "Secret", Help: "Signs each request, and the receiver checks that: see README, Notifications. At least 16 characters; openssl rand -hex 32 makes one.", Required: true, Secret: true, problem: badSigningSecret}),
	target(Slack, "Slack", "Messages in a Slack channel.",
		Field{Name: "webhook_url", Label: "Webhook URL", Help: "Of an incoming webhook; whoever has it can write there, so it is kept sealed.", Required: true, Secret: true, problem: badLink}),
	target(Discord, "Discord", "Messages in a Discord channel.",
		Field{Name: "webhook_url", Label: "Webhook URL", Help: "Of the channel's webhook; whoever has it can write there, so it is kept sealed.", Required: true, Secret: true, problem: badLink}),
	target(Ntfy, "ntfy", "Push messages by ntfy.",
		Field{Name: "url", Label: "Server", Help: "https://host of the ntfy server.", Default: "https://ntfy.sh", Required: true, Target: true, problem: badURL},
		Field{Name: "topic", Label: "Topic", Required: true, problem: badTopic},
		Field{Name: "token", Label: "Access token", Help: "For a topic that is not open to everybody.", Secret: true, problem: badLine}),
	target(Email, "E-mail", "E-mails through the server's SMTP_HOST.",
		Field{Name: "to", Label: "Send to", Help: "Comma-separated addresses, at most 20.", Required: true, problem: badAddresses}),
}

func target(slug, name, summary string, fields ...Field) Declaration {
	return Declaration{Slug: slug, Kind: slug, Category: CategoryNotification, Name: name, Summary: summary, Fields: append(fields, routing...)}
}

var targetName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$`)

// named returns the declaration of a target that has a name of its own, such as slack-ops.
func named(slug string) (Declaration, bool) {
	kind, name, found := strings.Cut(slug, "-")
	at := slices.IndexFunc(notifications, func(d Declaration) bool { return d.Kind == kind })
	if !found || at < 0 || !targetName.MatchString(name) {
		return Declaration{}, false
	}
	d := notifications[at]
	d.Slug, d.Name = slug, d.Name+": "+name
	return d, true
}

// maxTargets bounds the targets with names of their own.
const maxTargets = 100

var errTargets = fault.New(fault.Conflict, "integration.limit", "There are %d notification targets already. Delete one first.", maxTargets)

// Words splits a setting that lists words by comma.
func Words(list string) []string {
	var all []string
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word != "" {
			all = append(all, word)
		}
	}
	return all
}

func badEvents(value string) string {
	for _, word := range Words(value) {
		if !slices.Contains(Events, word) {
			return "takes these words, comma-separated: " + strings.Join(Events, ", ")
		}
	}
	return ""
}

func badWords(value string) string {
	if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return "must be names on one line, comma-separated"
	}
	return ""
}

func badTopic(value string) string {
	if strings.ContainsFunc(value, func(c rune) bool {
		return c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) || len(value) > 64 {
		return "is letters, digits, - and _, at most 64"
	}
	return ""
}

// badLink refuses what is not the address of something on a server.
func badLink(value string) string {
	u, err := url.Parse(value)
	if badLine(value) != "" || err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Fragment != "" {
		return "must be a URL such as https://hooks.example.com/path, without a user"
	}
	return ""
}

func badAddresses(value string) string {
	all := Words(value)
	for _, address := range all {
		if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address || badLine(address) != "" {
			return "must be e-mail addresses such as ada@example.com, comma-separated"
		}
	}
	if len(all) > 20 {
		return "takes at most 20 addresses"
	}
	return ""
}
