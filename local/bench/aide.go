package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// aide is this program once more, in a process of its own, so that what it does is not counted as
// another's. It answers each line of JSON on its standard input with one, and ends with its input.
type aide struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *json.Decoder
	log     string // file
}

// aides are what an aide can be: the first argument says which one.
var aides = map[string]func(in io.Reader, out io.Writer) error{
	"aide-bare-port": barePortAide,
	"aide-crowd":     crowdAide,
	"aide-floor":     floorAide,
}

func asAide(life func(in io.Reader, out io.Writer) error, in io.Reader, out, errs io.Writer) int {
	if err := life(in, out); err != nil {
		fmt.Fprintln(errs, "bench:", err)
		return 1
	}
	return 0
}

func (b *bench) startAide(name string) (*aide, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(b.dir, name+"-*.log")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	a := &aide{cmd: exec.Command(program, name), log: file.Name()}
	a.cmd.Stderr = file
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.answers = json.NewDecoder(out)
	return a, a.cmd.Start()
}

// ask sends a question and reads its answer.
func (a *aide) ask(question, answer any) error {
	line, err := json.Marshal(question)
	if err != nil {
		return err
	}
	if _, err = a.in.Write(append(line, '\n')); err == nil {
		err = a.answers.Decode(answer)
	}
	if err != nil {
		return fmt.Errorf("%s does not answer (%w): %s", filepath.Base(a.log), err, a.complaint())
	}
	return nil
}

func (a *aide) complaint() string {
	text, err := os.ReadFile(a.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// end lets the process end, and waits for it.
func (a *aide) end() error {
	err := errors.Join(a.in.Close(), a.cmd.Wait())
	if err != nil {
		return fmt.Errorf("%w: %s", err, a.complaint())
	}
	return nil
}

// serveLines is an aide's life: each question is answered before the next is read. What it began ends
// with ctx.
func serveLines[Q, A any](in io.Reader, out io.Writer, answer func(ctx context.Context, question Q) (A, error)) error {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	questions, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var question Q
		err := questions.Decode(&question)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		a, err := answer(ctx, question)
		if err != nil {
			return err
		}
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
}
