package wire

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clip makes text fit for a message: bytes that are not UTF-8 and NUL become "?", which
// never makes it longer, and what is over limit bytes is cut at a character.
func Clip(text string, limit int) string {
	text = clean(text)
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// ClipEnd is Clip for lines of which the last matter most: it cuts at the front, between
// two lines where one of them ends in what is left.
func ClipEnd(text string, limit int) string {
	text = clean(text)
	if len(text) <= limit {
		return text
	}
	from := len(text) - limit
	if end := strings.IndexByte(text[from-1:len(text)-1], '\n'); limit > 0 && end >= 0 {
		return text[from+end:]
	}
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// clipName makes a name that is only shown fit for a message: without control characters.
func clipName(name string, limit int) string {
	return Clip(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, clean(name)), limit)
}

func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?")
}

// mend returns msg with its texts for people cut and cleaned, and its log text cleaned.
func mend(msg any) any {
	switch m := msg.(type) {
	case Event:
		m.Log = clean(m.Log)
		if m.Phase != nil {
			phase := mendPhase(*m.Phase)
			m.Phase = &phase
		}
		return m
	case Result:
		m.Error = Clip(m.Error, MaxText)
		m.Service, m.Lines = clipName(m.Service, maxName), ClipEnd(m.Lines, MaxLines)
		phases := make([]PhaseEvent, len(m.Phases))
		for i, phase := range m.Phases {
			phases[i] = mendPhase(phase)
		}
		m.Phases = phases
		return m
	case Reply:
		m.Data = clean(m.Data)
		m.Error = Clip(m.Error, MaxText)
		return m
	case BlobChunk:
		m.Error = Clip(m.Error, MaxText)
		return m
	case Bye:
		m.Reason = Clip(m.Reason, MaxText)
		return m
	}
	return msg
}

func mendPhase(p PhaseEvent) PhaseEvent {
	p.Message = Clip(p.Message, MaxText)
	return p
}
