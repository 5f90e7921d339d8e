package ui

import (
	"fmt"
	"html/template"
)

// icons are drawn on 16 by 16 with strokes of the current colour.
var icons = map[string]template.HTML{
	"again":    `<path d="M13 3.5v4H9"/><path d="M12.6 7.5A5.2 5.2 0 1 0 11.4 12"/>`,
	"alert":    `<path d="M8 2.2 14.4 13.4H1.6Z"/><path d="M8 6.4v3.2M8 11.4v.1"/>`,
	"arrow":    `<path d="M3 8h10M9 4l4 4-4 4"/>`,
	"back":     `<path d="M3 3.5v4h4"/><path d="M3.4 7.5A5.2 5.2 0 1 1 4.6 12"/>`,
	"branch":   `<circle cx="4.5" cy="3.5" r="1.7"/><circle cx="4.5" cy="12.5" r="1.7"/><circle cx="11.5" cy="4.5" r="1.7"/><path d="M4.5 5.2v5.6M11.5 6.2c0 2.8-3 3-6.4 4.8"/>`,
	"calendar": `<rect x="2.2" y="3.2" width="11.6" height="10.6" rx="1.4"/><path d="M2.2 6.6h11.6M5.2 1.8v2.6M10.8 1.8v2.6M5.2 10.2h2.4"/>`,
	"check":    `<circle cx="8" cy="8" r="6.2"/><path d="m5.2 8.2 2 2 3.7-4.2"/>`,
	"circle":   `<circle cx="8" cy="8" r="6.2"/>`,
	"clock":    `<circle cx="8" cy="8" r="6.2"/><path d="M8 4.6V8l2.4 1.5"/>`,
	"copy":     `<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M3.5 10.5h-.2a.8.8 0 0 1-.8-.8V3.3a.8.8 0 0 1 .8-.8h6.4a.8.8 0 0 1 .8.8v.2"/>`,
	"cross":    `<circle cx="8" cy="8" r="6.2"/><path d="m5.8 5.8 4.4 4.4M10.2 5.8l-4.4 4.4"/>`,
	"down":     `<path d="M8 2.5v7.7M4.8 7.2 8 10.4l3.2-3.2M3 13.5h10"/>`,
	"folder":   `<path d="M1.8 12.2V3.8c0-.4.3-.8.8-.8h3.2l1.6 1.8h6c.5 0 .8.3.8.8v6.6c0 .4-.3.8-.8.8H2.6a.8.8 0 0 1-.8-.8Z"/>`,
	"key":      `<circle cx="5" cy="11" r="2.8"/><path d="m7 9 6-6M11 5l2 2M9.2 6.8l1.3 1.3"/>`,
	"lock":     `<rect x="3" y="7" width="10" height="6.8" rx="1.4"/><path d="M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2"/>`,
	"logs":     `<path d="M2.5 3.5h11M2.5 6.5h7M2.5 9.5h11M2.5 12.5h5"/>`,
	"mail":     `<rect x="1.8" y="3.2" width="12.4" height="9.6" rx="1.4"/><path d="m2.2 4.4 5.8 4.4 5.8-4.4"/>`,
	"menu":     `<path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11"/>`,
	"out":      `<path d="M6 2.5H3.3a.8.8 0 0 0-.8.8v9.4c0 .4.4.8.8.8H6M10 11l3-3-3-3M13 8H6"/>`,
	"overview": `<rect x="2" y="2" width="5" height="6.5" rx="1"/><rect x="9" y="2" width="5" height="3.5" rx="1"/><rect x="2" y="10.5" width="5" height="3.5" rx="1"/><rect x="9" y="7.5" width="5" height="6.5" rx="1"/>`,
	"pause":    `<circle cx="8" cy="8" r="6.2"/><path d="M6.4 5.8v4.4M9.6 5.8v4.4"/>`,
	"people":   `<circle cx="6" cy="5.3" r="2.6"/><path d="M1.5 13.5c.3-2.7 2-4.2 4.5-4.2s4.2 1.5 4.5 4.2M10.8 2.9a2.6 2.6 0 0 1 0 4.8M12.2 9.8c1.4.6 2.2 1.9 2.4 3.7"/>`,
	"play":     `<circle cx="8" cy="8" r="6.2"/><path d="M6.7 5.6 10.5 8l-3.8 2.4Z"/>`,
	"plus":     `<path d="M8 3v10M3 8h10"/>`,
	"plug":     `<path d="M5.5 2v3.2M10.5 2v3.2M3.8 5.2h8.4v2.6a4.2 4.2 0 0 1-8.4 0ZM8 12v2.3"/>`,
	"question": `<circle cx="8" cy="8" r="6.2"/><path d="M6.2 6.3c.1-1 .8-1.7 1.8-1.7s1.8.7 1.8 1.6c0 1.3-1.8 1.5-1.8 2.7M8 11.2v.1"/>`,
	"ring":     `<circle class="ring-track" cx="8" cy="8" r="6.2"/><path class="ring-arc" d="M8 1.8A6.2 6.2 0 0 1 14.2 8"/>`,
	"robot":    `<rect x="2.5" y="5.5" width="11" height="8" rx="1.8"/><path d="M8 5.5v-3M5.8 8.8v1.2M10.2 8.8v1.2M1 8.5v2M15 8.5v2"/>`,
	"search":   `<circle cx="7" cy="7" r="4.5"/><path d="m10.4 10.4 3.3 3.3"/>`,
	"server":   `<rect x="2" y="2.5" width="12" height="4.6" rx="1.2"/><rect x="2" y="8.9" width="12" height="4.6" rx="1.2"/><path d="M4.6 4.8v.1M4.6 11.2v.1M7.5 4.8h4M7.5 11.2h4"/>`,
	"sliders":  `<path d="M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6"/><circle cx="10" cy="4.5" r="1.9"/><circle cx="6" cy="11.5" r="1.9"/>`,
	"skip":     `<circle cx="8" cy="8" r="6.2"/><path d="M5 8h5.4M8.4 5.8 10.6 8l-2.2 2.2"/>`,
	"stacks":   `<path d="m8 1.8 6.2 3.1L8 8 1.8 4.9Z"/><path d="m1.8 8 6.2 3.1L14.2 8M1.8 11.1 8 14.2l6.2-3.1"/>`,
	"stop":     `<circle cx="8" cy="8" r="6.2"/><rect x="6" y="6" width="4" height="4" rx=".4"/>`,
	"sync":     `<path d="M13.5 2.8v3.4h-3.4M2.5 13.2V9.8h3.4"/><path d="M3 6.4a5.2 5.2 0 0 1 9.3-1.5l1.2 1.3M13 9.6a5.2 5.2 0 0 1-9.3 1.5L2.5 9.8"/>`,
	"trash":    `<path d="M2.5 4.2h11M6 4.2V2.5h4v1.7M4 4.2l.6 9.3h6.8l.6-9.3M6.7 7v4M9.3 7v4"/>`,
}

// drawn are the icons as inline SVG.
var drawn = func() map[string]template.HTML {
	all := make(map[string]template.HTML, len(icons))
	for name, shape := range icons {
		all[name] = `<svg class="icon icon-` + template.HTML(name) + `" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">` + shape + `</svg>`
	}
	return all
}()

// icon returns an icon as inline SVG. It says nothing to screen readers: a word stands
// beside it or in the button that it is on.
func icon(name string) (template.HTML, error) {
	svg, found := drawn[name]
	if !found {
		return "", fmt.Errorf("there is no icon %q", name)
	}
	return svg, nil
}
