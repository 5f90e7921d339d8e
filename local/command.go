package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"berth/core/config"
)

// command is one thing that the program does; the one without a name runs the server.
type command struct {
	name  string
	takes string // what is to be typed after the name
	about string
	run   func(arg string, out, errs io.Writer) int
}

func (c command) usage() string { return strings.TrimSpace("local "+c.name) + suffix(" ", c.takes) }

// help is what "-h" answers with.
func (c command) help() string {
	text := "usage: " + c.usage() + "\n\n" + c.about + "\n"
	if c.name != "" {
		return text
	}
	text += "\n  -demo   add the demo repository with its two stacks\n\nOther commands:\n"
	for _, other := range commands() {
		text += fmt.Sprintf("  %-22s %s\n", other.usage(), strings.SplitAfter(other.about, ".")[0])
	}
	return text + "\n\"local <command> -h\" says more.\n"
}

const aboutServer = `Runs the server: web UI, REST API, metrics and hub in one process, with LOCAL_WORKER=true a worker too. It is
configured by environment variables; the README lists them.`

func commands() []command {
	return []command{
		{"copy-database", "", `Copies the embedded database into PostgreSQL. The server must not run. The variables are the server's, and
DATABASE_URL names an empty database. What was there stays as it is.`,
			func(_ string, out, errs io.Writer) int { return copyDatabase(out, errs) }},
		{"env", "FILE", `Writes FILE with fresh keys. A file that exists is left alone.`, writeEnv},
		{"variables", "", `Prints the tables of configuration variables as Markdown.`, printVariables},
	}
}

// run does what was typed after the program's name. Nothing is done unless all of it means something.
func run(args []string, out, errs io.Writer) int {
	server := command{takes: "[-demo]", about: aboutServer}
	flags := flag.NewFlagSet("local", flag.ContinueOnError)
	withDemo := flags.Bool("demo", false, "")
	code, done := parse(server, flags, args, out, errs)
	switch {
	case done:
		return code
	case flags.NArg() == 0:
		return serve(*withDemo, errs)
	}
	for _, c := range commands() {
		if c.name == flags.Arg(0) && !*withDemo {
			return c.do(flags.Args()[1:], out, errs)
		}
	}
	if *withDemo {
		return server.refuse(errs, "-demo goes with the server alone, not with a command")
	}
	return server.refuse(errs, fmt.Sprintf("there is no command %q", flags.Arg(0)))
}

func (c command) do(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	if code, done := parse(c, flags, args, out, errs); done {
		return code
	}
	switch wanted := len(strings.Fields(c.takes)); {
	case flags.NArg() < wanted:
		return c.refuse(errs, "name the "+strings.ToLower(c.takes))
	case flags.NArg() > wanted:
		return c.refuse(errs, fmt.Sprintf("%q is too much", flags.Arg(wanted)))
	}
	return c.run(flags.Arg(0), out, errs)
}

// parse reads flags; done: help was asked for, or something is wrong, and the process ends with this code.
func parse(c command, flags *flag.FlagSet, args []string, out, errs io.Writer) (code int, done bool) {
	flags.SetOutput(io.Discard)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(out, c.help())
		return 0, true
	case err != nil:
		return c.refuse(errs, err.Error()), true
	}
	return 0, false
}

func (c command) refuse(errs io.Writer, problem string) int {
	fmt.Fprintf(errs, "local%s: %s. Nothing was done.\n\n%s", suffix(" ", c.name), problem, c.help())
	return config.ExitUsage
}

// suffix puts something before a text that is not empty.
func suffix(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

func printVariables(_ string, out, _ io.Writer) int {
	fmt.Fprintf(out, "### Server (`local`, `hub`)\n\n%s\n### Worker (`worker`)\n\n%s\n### Function (`function`)\n\n%s",
		config.Table(config.Server{}), config.Table(config.Worker{}), config.Table(config.Function{}))
	return 0
}
