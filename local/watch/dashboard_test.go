package watch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// dashboard is dashboard.json, as far as it is asked about here.
type dashboard struct {
	UID           string
	SchemaVersion int
	Templating    struct {
		List []struct{ Name, Type, Definition string }
	}
	Annotations struct{ List []struct{ Expr string } }
	Panels      []panel
}

type panel struct {
	ID          int
	Type, Title string
	Description string
	Datasource  source
	GridPos     struct{ X, Y, W, H int }
	Targets     []struct {
		RefID      string
		Expr       string
		Datasource source
	}
}

type source struct{ Type, UID string }

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal([]byte(read(t, "dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// chosen puts something for what Grafana fills in.
var chosen = strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*", "$stack", ".*", "$worker", ".*")

// expressions returns what the panels and annotations ask, by where.
func (d dashboard) expressions() map[string]string {
	all := map[string]string{}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all[p.Title+" "+target.RefID+" "+target.Expr] = chosen.Replace(target.Expr)
		}
	}
	for _, a := range d.Annotations.List {
		all["annotation "+a.Expr] = chosen.Replace(a.Expr)
	}
	return all
}

// TestTheDashboardIsOne that Grafana can draw: it takes its data from the datasource that is chosen, its
// panels do not lie over each other, and each says what it shows.
func TestTheDashboardIsOne(t *testing.T) {
	d := readDashboard(t)
	rows, seen, taken := []string{}, map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if p.ID == 0 || seen[p.ID] || p.Title == "" {
			t.Errorf("panel %q has the number %d", p.Title, p.ID)
		}
		seen[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if over, is := taken[[2]int{x, y}]; is || x > 23 {
					t.Errorf("panel %q lies over %q, or outside", p.Title, over)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			rows = append(rows, p.Title)
			continue
		}
		if len(p.Targets) == 0 || p.Description == "" || p.Datasource != (source{"prometheus", "${datasource}"}) {
			t.Errorf("panel %q asks %d things of %v and says %q", p.Title, len(p.Targets), p.Datasource, p.Description)
		}
		for _, target := range p.Targets {
			if target.Datasource != p.Datasource || target.Expr == "" {
				t.Errorf("panel %q asks %v for %q", p.Title, target.Datasource, target.Expr)
			}
		}
	}
	if got := strings.Join(rows, " "); got != "Fleet Deployments Stacks Jobs Hub Hosts Backups" {
		t.Errorf("the rows are %s", got)
	}
	variables := ""
	for _, v := range d.Templating.List {
		variables += v.Name + ":" + v.Type + " "
	}
	if variables != "datasource:datasource instance:query stack:query worker:query " || d.UID == "" || d.SchemaVersion < 36 {
		t.Errorf("the variables are %s, the dashboard %q, the schema %d", variables, d.UID, d.SchemaVersion)
	}
}

// TestTheDashboardAsksWhatPrometheusUnderstands has promtool read each expression as if it were a rule.
func TestTheDashboardAsksWhatPrometheusUnderstands(t *testing.T) {
	type entry struct{ Record, Expr string }
	var group struct {
		Name  string
		Rules []entry
	}
	group.Name = "dashboard"
	for _, expression := range readDashboard(t).expressions() {
		group.Rules = append(group.Rules, entry{"asked", expression})
		if strings.Contains(expression, "$") {
			t.Errorf("%s has a variable that this test does not know", expression)
		}
	}
	if len(group.Rules) < 40 {
		t.Fatalf("only %d expressions were found", len(group.Rules))
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{group}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "asked.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "check", "rules", "--lint=none", file)
}
