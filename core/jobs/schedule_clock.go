package jobs

import "time"

// stretch is a time in which a zone's clocks are not changed. Two that follow each other may show the same.
type stretch struct {
	from, to time.Time // the zero: since ever, and for ever
	offset   int64     // of the wall clock, in seconds
}

// stretchOf returns the stretch of a time, in its zone. On the last day of a leap year the bounds that package time
// tells end before the time that was asked about.
func stretchOf(t time.Time) stretch {
	_, offset := t.Zone()
	from, to := t.ZoneBounds()
	if !to.IsZero() && !to.After(t) {
		to = t.Add(time.Hour)
	}
	return stretch{from, to, int64(offset)}
}

func (s stretch) next() stretch     { return stretchOf(s.to) }
func (s stretch) previous() stretch { return stretchOf(s.from.Add(-1)) }

// longestPass is more than clocks are ever set back at once.
const longestPass = 48 * time.Hour

// shown returns up to when the wall clock has shown every time when the stretch begins; stretches that begin earlier
// than longestPass before cannot have shown more. It is the wall clock's own beginning when nothing was shown before.
func (s stretch) shown() (until int64) {
	until = s.from.Unix() + s.offset
	for i, p := 0, s; !p.from.IsZero() && s.from.Sub(p.from) < longestPass; i++ {
		end := p.from
		p = p.previous()
		if shown := end.Unix() + p.offset; i == 0 || shown > until {
			until = shown
		}
	}
	return until
}

// within returns the first time after another that lies in a stretch and before a limit; the zero when there is none.
func (s Schedule) within(at stretch, after, limit time.Time) time.Time {
	from, to := after.Unix()+1, limit.Unix()
	if !at.to.IsZero() {
		to = min(to, at.to.Unix())
	}
	begins := after.Before(at.from)
	if begins {
		from = at.from.Unix()
	}
	if s.pattern.hours != allHours && !at.from.IsZero() && (begins || after.Sub(at.from) < longestPass) {
		shown := at.shown()
		if begins && s.pattern.within(shown, from+at.offset) {
			return at.from
		}
		from = max(from, shown-at.offset)
	}
	if wall, found := s.pattern.first(from+at.offset, to+at.offset); found {
		return time.Unix(wall-at.offset, 0).In(s.zone)
	}
	return time.Time{}
}

// within reports whether any time of the wall clock from one on and before an end matches.
func (p pattern) within(from, end int64) bool {
	_, found := p.first(from, end)
	return found
}
