package ui

import (
	"context"
	"strconv"
	"strings"

	"berth/core/jobs"
)

// logView is a stretch of a log, as the part "log" shows it.
type logView struct {
	Lines []logLine
	Open  bool   // what writes it has not ended
	Last  string // number of the last piece shown, for ?after=
	More  string // address of what follows; empty: nothing that is known
	Whole bool   // the log is over
}

// logOf shows the pieces of a run's log that follow the numbered one.
func logOf(ctx context.Context, pieces []jobs.LogPiece, after uint64, r jobs.Run) logView {
	v, from := logView{Open: !r.State.Ended()}, r.StartedAt
	if from.IsZero() {
		from = r.QueuedAt
	}
	shown := fitting(ctx, pieces, func(p jobs.LogPiece) string { return p.Text })
	for _, piece := range shown {
		after = piece.Number
		for text := range strings.SplitSeq(strings.TrimRight(piece.Text, "\n"), "\n") {
			v.Lines = append(v.Lines, logLine{At: stopwatch(piece.At.Sub(from)), Text: lastStroke(text)})
		}
	}
	v.Last = strconv.FormatUint(after, 10)
	if len(shown) < len(pieces) || len(pieces) == logPageSize {
		v.More = runHref(r.ID) + "?after=" + v.Last
	}
	v.Whole = !v.Open && v.More == ""
	return v
}
