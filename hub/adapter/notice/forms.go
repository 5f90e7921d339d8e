package notice

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"berth/core/integrations"
	"berth/core/notify"
)

// forms write a notice as each kind of target takes it.
var forms = map[string]func(o integrations.Opened, t notify.Told, now time.Time) (made, error){
	integrations.Webhook: webhook,
	integrations.Slack:   slack,
	integrations.Discord: discord,
	integrations.Ntfy:    ntfy,
}

// The headers of a webhook. The signature is "sha256=" and the HMAC-SHA256 in hexadecimal of timestamp, a full stop, and the body.
const (
	HeaderEvent     = "Berth-Event"
	HeaderDelivery  = "Berth-Delivery"
	HeaderTimestamp = "Berth-Timestamp" // seconds since 1970, of this attempt
	HeaderSignature = "Berth-Signature"
)

func webhook(o integrations.Opened, t notify.Told, now time.Time) (made, error) {
	body, err := encoded(t)
	mac := hmac.New(sha256.New, []byte(o.Secrets["secret"].Reveal()))
	mac.Write([]byte(at(now) + "."))
	mac.Write(body)
	return made{"the receiver of the webhook", o.Settings["url"], map[string]string{HeaderEvent: t.Event, HeaderDelivery: t.ID, HeaderTimestamp: at(now),
		HeaderSignature: "sha256=" + hex.EncodeToString(mac.Sum(nil))}, body}, err
}

// Limits of the services, in characters, with room to spare.
const (
	maxSlack   = 2900
	maxDiscord = 1900
	maxNtfy    = 3000 // bytes at most 4096
)

// slack writes plain text, in which nothing is a mention or a link, and one link of our own.
func slack(o integrations.Opened, t notify.Told, _ time.Time) (made, error) {
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type block struct {
		Type string `json:"type"`
		Text text   `json:"text"`
	}
	body, err := encoded(map[string]any{
		"text":         slackEscapes.Replace(unlinked(t.Title)),
		"unfurl_links": false, "unfurl_media": false,
		"blocks": []block{{"section", text{"plain_text", short(unlinked(summary(t)), maxSlack)}}, {"section", text{"mrkdwn", "<" + page(t) + "|Open in Berth>"}}},
	})
	return made{name: "Slack", to: o.Secrets["webhook_url"].Reveal(), body: body}, err
}

var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// discord writes with every sign of markup escaped, and allows no mention.
func discord(o integrations.Opened, t notify.Told, _ time.Time) (made, error) {
	const suppressEmbeds = 1 << 2
	body, err := encoded(map[string]any{
		"content": short(escaped(unlinked(summary(t))), maxDiscord) + "\n<" + page(t) + ">", "flags": suppressEmbeds,
		"allowed_mentions": map[string]any{"parse": []string{}},
	})
	return made{name: "Discord", to: o.Secrets["webhook_url"].Reveal(), body: body}, err
}

func ntfy(o integrations.Opened, t notify.Told, _ time.Time) (made, error) {
	tag, priority := "warning", 4
	if t.Over || t.Event == "test" {
		tag, priority = "white_check_mark", 3
	}
	body, err := encoded(map[string]any{"topic": o.Settings["topic"], "title": short(t.Title, 200), "message": short(summary(t), maxNtfy/3), "tags": []string{tag},
		"priority": priority, "click": page(t)})
	m := made{name: "ntfy", to: strings.TrimSuffix(o.Settings["url"], "/") + "/", body: body}
	if token := o.Secrets["token"]; !token.Empty() {
		m.header = map[string]string{"Authorization": "Bearer " + token.Reveal()}
	}
	return m, err
}

// summary is a notice in lines, without links.
func summary(t notify.Told) string {
	lines := []string{t.Title}
	for _, i := range t.Items {
		line := "• " + i.Name
		if i.Detail != "" {
			line += ": " + i.Detail
		}
		lines = append(lines, line)
	}
	if t.More > 0 {
		lines = append(lines, "… and more")
	}
	return strings.Join(lines, "\n")
}

// page is what a notice leads to: the page of the only problem, or the server.
func page(t notify.Told) string {
	if len(t.Items) == 1 && t.More == 0 {
		return t.Items[0].URL
	}
	return t.URL
}

// unlinked keeps text from being taken for a link or a mention, wherever it stands, and drops control characters.
func unlinked(text string) string {
	text = strings.Map(func(c rune) rune {
		if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return unlinks.Replace(text)
}

// unlinks puts something that is not seen behind what begins a link or a mention.
var unlinks = strings.NewReplacer("://", ":\u200b//", "@", "@\u200b", "www.", "www\u200b.")

// escaped puts a backslash before every sign that could be markup.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range text {
		if c < 0x80 && c != '\n' && c != ' ' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// short cuts text to a number of characters.
func short(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return strings.TrimRight(string(runes[:most]), "\\") + "…"
	}
	return text
}

// encoded is JSON without the escapes that HTML needs, in UTF-8.
func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
