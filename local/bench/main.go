package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// limit bounds a whole run.
const limit = 90 * time.Minute

// measurement is one group of figures.
type measurement struct {
	name    string
	measure func(ctx context.Context, b *bench) ([]figure, error)
}

var measurements = []measurement{
	{"deploy", measureDeploy},
	{"memory", measureMemory},
	{"noop-sync", measureNoopSync},
	{"idle", measureIdle},
	{"commands", measureCommands},
	{"store", measureStore},
	{"function", measureFunction},
	{"links", measureLinks},
	{"fleet", measureFleet},
	{"hubs", measureHubs},
	{"jobs", measureJobs},
	{"secrets", measureSecrets},
	{"git", measureGit},
	{"login", measureLogin},
	{"timing", measureTiming},
	{"backup", measureBackup},
	{"configuration", measureConfiguration},
	{"ui", measureUI},
	{"ui-live", measureLive},
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, out, errs io.Writer) int {
	if len(args) == 1 && aides[args[0]] != nil {
		return asAide(aides[args[0]], os.Stdin, out, errs)
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errs)
	runs := flags.Int("runs", 10, "how often what is repeated is measured, 3 to 100")
	links := flags.Int("links", 1000, "how many workers have a link in the measurement links, 1 to 15000")
	repositories := flags.Int("repositories", 1000, "how many repositories are polled in the measurement git, 1 to 5000")
	fleet := flags.String("fleet", "1,100,1000,10000", "how many workers the server has in the measurement fleet, one number after the other, 1 to 15000 each")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	chosen, err := choose(flags.Args())
	if err == nil && (*runs < 3 || *runs > 100) {
		err = fmt.Errorf("-runs %d: give a number from 3 to 100", *runs)
	}
	if err == nil && (*links < 1 || *links > 15_000) {
		err = fmt.Errorf("-links %d: give a number from 1 to 15000", *links)
	}
	if err == nil && (*repositories < 1 || *repositories > 5000) {
		err = fmt.Errorf("-repositories %d: give a number from 1 to 5000", *repositories)
	}
	var sizes []int
	if err == nil {
		sizes, err = fleetSizes(*fleet)
	}
	if err != nil {
		fmt.Fprintln(errs, "bench:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := measureAll(ctx, chosen, options{*runs, *links, sizes, *repositories}, out, errs); err != nil {
		fmt.Fprintln(errs, "bench:", err)
		return 1
	}
	return 0
}

// fleetSizes reads numbers of workers.
func fleetSizes(text string) ([]int, error) {
	var sizes []int
	for number := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 1 || n > 15_000 {
			return nil, fmt.Errorf("-fleet %s: give numbers from 1 to 15000 with commas between them", text)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// choose finds the measurements by name; none named means all.
func choose(names []string) ([]measurement, error) {
	if len(names) == 0 {
		return measurements, nil
	}
	var chosen []measurement
	for _, name := range names {
		i := slices.IndexFunc(measurements, func(m measurement) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no measurement %q; there are %s", name, known())
		}
		chosen = append(chosen, measurements[i])
	}
	return chosen, nil
}

func known() string {
	var names []string
	for _, m := range measurements {
		names = append(names, m.name)
	}
	return strings.Join(names, ", ")
}

// measureAll measures one group after the other and prints each as it is known.
func measureAll(ctx context.Context, chosen []measurement, o options, out, errs io.Writer) (err error) {
	b, err := newBench(o, errs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	fmt.Fprintln(out, machine())
	for _, m := range chosen {
		b.say("measuring %s", m.name)
		before := load()
		figures, err := m.measure(ctx, b)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		fmt.Fprintf(out, "\n%s (load average %s before, %s after)\n", m.name, before, load())
		if err := printTable(out, figures); err != nil {
			return err
		}
	}
	return nil
}
