package secrets

import "io"

// Writer takes secrets out of what is written through it. It is used by one goroutine.
type Writer struct {
	to     io.Writer
	stream *Stream
}

// Writer returns a Writer onto to.
func (r *Redactor) Writer(to io.Writer) *Writer { return &Writer{to, r.Stream()} }

// Write implements io.Writer. What may be the beginning of a secret is held back.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.write(w.stream.Next(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// End writes what was held back, when nothing more will come.
func (w *Writer) End() error { return w.write(w.stream.Rest()) }

// write writes text. Nothing is not written: it would begin an answer that may be a failure.
func (w *Writer) write(text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(w.to, text)
	return err
}
