package ui

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	declaration = regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`)
	darkBlock   = regexp.MustCompile(`(?s)@media \(prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}`)
)

// TestColoursHaveContrast holds WCAG 2.2, 1.4.3 and 1.4.11, for every pair in which the styles use them.
func TestColoursHaveContrast(t *testing.T) {
	css := stylesheet(t)
	schemes := map[string]map[string]string{"light": {}, "dark": {}}
	for _, d := range declaration.FindAllStringSubmatch(css[:strings.Index(css, "@media")], -1) {
		schemes["light"][d[1]] = d[2]
	}
	for _, d := range declaration.FindAllStringSubmatch(darkBlock.FindStringSubmatch(css)[1], -1) {
		schemes["dark"][d[1]] = d[2]
	}
	pairs := map[string]float64{
		"ink/ground": 7, "ink/surface": 7, "ink/sunken": 7, "quiet/ground": 4.5, "quiet/surface": 4.5, "quiet/sunken": 4.5,
		"accent/ground": 4.5, "accent/surface": 4.5, "accent/busy-soft": 4.5, "on-accent/accent": 4.5, "on-accent/accent-over": 4.5, "on-bad/bad": 4.5, "on-bad/bad-over": 4.5, "surface/ink": 7,
		"ok/ok-soft": 4.5, "busy/busy-soft": 4.5, "warn/warn-soft": 4.5, "bad/bad-soft": 4.5, "idle/idle-soft": 4.5,
		"ink/ok-soft": 7, "ink/busy-soft": 7, "ink/warn-soft": 7, "ink/bad-soft": 7, "ink/idle-soft": 7,
		"ok/surface": 4.5, "busy/surface": 4.5, "warn/surface": 4.5, "bad/surface": 4.5, "bad/ground": 4.5, "ok/ground": 4.5,
		"log-red/sunken": 4.5, "log-green/sunken": 4.5, "log-yellow/sunken": 4.5, "log-blue/sunken": 4.5, "log-magenta/sunken": 4.5, "log-cyan/sunken": 4.5,
		"edge/surface": 3, "edge/ground": 3,
	}
	for scheme, colours := range schemes {
		if len(colours) < 20 {
			t.Fatalf("%s: only %d colours were found", scheme, len(colours))
		}
		for pair, least := range pairs {
			above, below, _ := strings.Cut(pair, "/")
			if got := contrast(t, colours[above], colours[below]); got < least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", scheme, above, below, got, least)
			}
		}
	}
}

func stylesheet(t *testing.T) string {
	t.Helper()
	css, err := assetFiles.ReadFile("assets/berth.css")
	if err != nil {
		t.Fatal(err)
	}
	return string(css)
}

// contrast is the ratio that WCAG 2.2 defines.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32)
	if err != nil || colour == "" {
		t.Fatalf("%q is no colour", colour)
	}
	linear := func(c uint64) float64 {
		s := float64(c&0xff) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}

// TestStylesLoadNothing: no address in the styles, so nothing comes from elsewhere.
func TestStylesLoadNothing(t *testing.T) {
	css := stylesheet(t)
	for _, forbidden := range []string{"url(", "@import", "http:", "https:", "@font-face"} {
		if strings.Contains(css, forbidden) {
			t.Errorf("the styles contain %s", forbidden)
		}
	}
}

var className = regexp.MustCompile(`\.(-?[a-zA-Z][\w-]*)`)

// TestNoStyleIsLeftOver: every class that the styles speak of stands in a template or the script.
func TestNoStyleIsLeftOver(t *testing.T) {
	var used strings.Builder
	for _, s := range samples() {
		page, err := s.render()
		if err != nil {
			t.Fatal(err)
		}
		used.Write(page)
	}
	// Drop declarations, whose numbers look like classes.
	rules := regexp.MustCompile(`\{[^{}]*\}`).ReplaceAllString(stylesheet(t), "{}")
	rules = regexp.MustCompile(`@[^{]*\{|/\*.*?\*/`).ReplaceAllString(rules, "")
	for _, m := range className.FindAllStringSubmatch(rules, -1) {
		if !regexp.MustCompile(`class="[^"]*\b` + regexp.QuoteMeta(m[1]) + `\b`).MatchString(used.String()) {
			t.Errorf("no page has the class %q", m[1])
		}
	}
}

// TestColoursStandInTheTokensAlone: a colour of its own would miss the dark scheme and the contrast test.
func TestColoursStandInTheTokensAlone(t *testing.T) {
	css := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(stylesheet(t), "")
	rules := regexp.MustCompile(`(?s):root \{.*?\}`).ReplaceAllString(css, "")
	if len(rules) >= len(css) {
		t.Fatal("the tokens were not found")
	}
	for _, m := range regexp.MustCompile(`[^;{]*(#[0-9a-fA-F]{3,8}|\b(rgb|hsl|oklch|lab|light-dark)a?\()[^;}]*[;}]`).FindAllString(rules, -1) {
		t.Errorf("a colour outside the tokens: %s", strings.TrimSpace(m))
	}
	for _, m := range regexp.MustCompile(`var\((--[a-z0-9-]+)`).FindAllStringSubmatch(css, -1) {
		if !strings.Contains(css, m[1]+":") {
			t.Errorf("the token %s is used and not declared", m[1])
		}
	}
}
