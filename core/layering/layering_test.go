package layering

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// rule says what the packages that match From may not import.
type rule struct {
	because string
	from    []string                   // patterns of packages: "core/...", "hub/adapter/yaml"
	except  []string                   // of those, packages that the rule is not about
	tests   bool                       // the rule holds for test files too
	refuses func(from, to string) bool // to is as imported: "net/http", "berth/core"
}

var rules = map[string]rule{
	"core reaches the standard library and core only": {
		because: "what decides must run in a test without network, clock or driver, and outlive every library",
		from:    []string{"core/..."},
		refuses: func(_, to string) bool { return !standard(to) && !within(to, "core/...") },
	},
	"pure core does no I/O": {
		because: "a rule that opens a file or a connection cannot be tested by a table",
		from:    []string{"core/..."},
		except:  []string{"core/store", "core/coretest", "core/layering"},
		refuses: func(_, to string) bool {
			switch to {
			case "os", "os/exec", "net", "net/http", "net/smtp", "database/sql", "syscall", "io/ioutil", "plugin":
				return true
			}
			return false
		},
	},
	"handlers reach neither the hub nor the store": {
		because: "the same handlers run on a function host, where neither is in the process",
		from:    []string{"handlers/..."},
		except:  []string{"handlers/cmd/..."},
		refuses: func(_, to string) bool { return within(to, "hub/...", "local/...", "core/store") },
	},
	"handlers reach no third party": {
		because: "a function host starts what it links; adapters are handed in",
		from:    []string{"handlers/..."},
		except:  []string{"handlers/cmd/..."},
		refuses: func(_, to string) bool { return !standard(to) && !within(to, "...") },
	},
	"hub and worker reach no handlers": {
		because: "the persistent part stays small and knows no pages",
		from:    []string{"hub/..."},
		except:  []string{"hub/cmd/..."},
		refuses: func(_, to string) bool { return within(to, "handlers/...", "local/...") },
	},
	"the worker reaches no store": {
		because: "a worker's host holds nothing of the server's; what it knows came over the link",
		from:    []string{"hub/worker/...", "hub/link/...", "hub/cmd/worker"},
		tests:   true,
		refuses: func(_, to string) bool { return within(to, "core/store", "hub") },
	},
	"third parties stay behind adapters": {
		because: "a vendor's types stop at the border, so that a vendor can be replaced in one folder",
		from:    []string{"hub/...", "local/..."},
		except:  []string{"hub/adapter/...", "hub/cmd/...", "local", "local/stand/..."},
		refuses: func(_, to string) bool { return !standard(to) && !within(to, "...") },
	},
	"only mains and local wire adapters": {
		because: "what runs on what is chosen in one place, and everything else takes ports",
		from:    []string{"..."},
		except:  []string{"hub/adapter/...", "hub/cmd/...", "handlers/cmd/...", "local/...", "hub/workerport", "hub/workerrun"},
		refuses: func(_, to string) bool { return within(to, "hub/adapter/...") },
	},
	"adapters do not reach each other's callers": {
		because: "an adapter implements ports; if it called what uses it, neither could be tested alone",
		from:    []string{"hub/adapter/..."},
		refuses: func(_, to string) bool { return within(to, "hub", "hub/workerport", "handlers/...", "local/...") },
	},
}

func TestLayers(t *testing.T) {
	packages := imports(t, filepath.Join("..", ".."))
	for name, r := range rules {
		t.Run(name, func(t *testing.T) {
			if r.because == "" {
				t.Error("the rule has no reason")
			}
			matched := 0
			for _, p := range packages {
				if !matches(p.path, r.from...) || matches(p.path, r.except...) {
					continue
				}
				matched++
				for _, to := range p.imports(r.tests) {
					if r.refuses(p.path, to) {
						t.Errorf("%s imports %s, but %s", p.path, to, r.because)
					}
				}
			}
			if matched == 0 {
				t.Error("the rule matches no package: it guards nothing")
			}
			for _, pattern := range append(append([]string{}, r.from...), r.except...) {
				if !anyMatches(packages, pattern) && !comesLater[pattern] {
					t.Errorf("no package matches %q: correct the rule", pattern)
				}
			}
		})
	}
}

// comesLater names patterns of packages that the package map has and the tree does not yet.
var comesLater = map[string]bool{}

func TestEveryPackageHasADoc(t *testing.T) {
	for _, p := range imports(t, filepath.Join("..", "..")) {
		if !p.documented && len(p.code) > 0 {
			t.Errorf("%s has no package comment: what it owns, what it must not know, where to start reading", p.path)
		}
	}
}

func TestTopLevelIsFixed(t *testing.T) {
	known := map[string]bool{"go.mod": true, "go.sum": true, "handlers": true, "core": true, "hub": true, "local": true, "template.yaml": true,
		"Dockerfile": true, "Makefile": true, "README.md": true, "data": true}
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !known[e.Name()] && !strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s stands at the top level, which is fixed", e.Name())
		}
	}
}

// pkg is the import clauses of one folder.
type pkg struct {
	path       string // below the module: "core/store"; "." is the root
	code       []string
	test       []string
	documented bool
}

func (p *pkg) imports(tests bool) []string {
	if tests {
		return append(append([]string{}, p.code...), p.test...)
	}
	return p.code
}

// imports reads the import clauses of every package below root.
func imports(t *testing.T, root string) []*pkg {
	t.Helper()
	byPath := map[string]*pkg{}
	var all []*pkg
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || e.Name() == "data" || strings.HasPrefix(e.Name(), ".") && file != root) {
			return fs.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(file, ".go") {
			return nil
		}
		relative, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		p := byPath[filepath.ToSlash(relative)]
		if p == nil {
			p = &pkg{path: filepath.ToSlash(relative)}
			byPath[p.path] = p
			all = append(all, p)
		}
		return p.add(file)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d packages were found: the walk is broken", len(all))
	}
	return all
}

func (p *pkg) add(file string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err
	}
	for _, spec := range parsed.Imports {
		to := strings.Trim(spec.Path.Value, `"`)
		if strings.HasSuffix(file, "_test.go") {
			p.test = append(p.test, to)
		} else {
			p.code = append(p.code, to)
		}
	}
	if parsed.Doc != nil && !strings.HasSuffix(file, "_test.go") {
		p.documented = true
	}
	return nil
}

// standard reports whether an import is of the standard library.
func standard(to string) bool {
	first, _, _ := strings.Cut(to, "/")
	return !strings.Contains(first, ".") && first != "berth"
}

// within reports whether an import is of this module and matches a pattern.
func within(to string, patterns ...string) bool {
	if to == "berth" {
		return matches(".", patterns...)
	}
	below, own := strings.CutPrefix(to, "berth/")
	return own && matches(below, patterns...)
}

func matches(p string, patterns ...string) bool {
	for _, pattern := range patterns {
		prefix, all := strings.CutSuffix(pattern, "...")
		if all && (prefix == "" || p == path.Clean(prefix) || strings.HasPrefix(p, prefix)) || p == pattern {
			return true
		}
	}
	return false
}

func anyMatches(packages []*pkg, pattern string) bool {
	for _, p := range packages {
		if matches(p.path, pattern) {
			return true
		}
	}
	return false
}
