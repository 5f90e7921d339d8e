package config

import (
	"fmt"
	"io"
	"log/slog"
)

// Begin is what every process does with the configuration that it loaded: it says on w what is
// wrong, or makes the process's log there, which begins with the warnings. When it is not fine,
// the process ends with ExitConfig.
func Begin(w io.Writer, level slog.Level, format LogFormat, problems, warnings []Problem) (log *slog.Logger, fine bool) {
	if len(problems) > 0 {
		fmt.Fprint(w, Explain(problems))
		return nil, false
	}
	log = newLog(w, level, format)
	for _, warning := range warnings {
		log.Warn(warning.Reason, "variable", warning.Name)
	}
	return log, true
}

func newLog(w io.Writer, level slog.Level, format LogFormat) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if format == LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// NoArguments is for processes that are configured by variables alone. It answers a call for help on
// out and refuses whatever else was typed, on errs; done: the process ends with this code.
func NoArguments(args []string, about string, out, errs io.Writer) (code int, done bool) {
	if len(args) == 0 {
		return 0, false
	}
	if arg := args[0]; len(args) == 1 && (arg == "-h" || arg == "-help" || arg == "--help") {
		fmt.Fprint(out, about)
		return 0, true
	}
	fmt.Fprintf(errs, "%q means nothing here: this program takes no arguments. Nothing was started.\n%s", args[0], about)
	return ExitUsage, true
}
