package layered

import (
	"cmp"
	"slices"
)

// slot is a place in a layer: a box, or where a long line passes.
type slot struct {
	name  string // empty: a line passes
	layer int
	x, y  int
	rank  float64 // what it is ordered by within its layer
	before,
	after []int // slots that it is joined to in the layers beside it
}

type graph struct {
	nodes  []string // touched by a line, in the order given
	alone  []string
	lines  []Line
	of     map[string]int // slot of a node
	slots  []slot
	chains map[int][]int // slots that a line passes, by its index
	layers [][]int
}

func newGraph(nodes []string, lines []Line) *graph {
	g := &graph{of: map[string]int{}, chains: map[int][]int{}}
	touched := map[string]bool{}
	for _, l := range lines {
		if l.From != l.To && slices.Contains(nodes, l.From) && slices.Contains(nodes, l.To) {
			g.lines = append(g.lines, l)
			touched[l.From], touched[l.To] = true, true
		}
	}
	for _, n := range nodes {
		if !touched[n] {
			g.alone = append(g.alone, n)
			continue
		}
		g.of[n] = len(g.slots)
		g.nodes, g.slots = append(g.nodes, n), append(g.slots, slot{name: n})
	}
	return g
}

// rank gives each node the layer after the last of those that lead to it. When all that are left go
// round in circles, the first of them is taken as if nothing led to it.
func (g *graph) rank() {
	waits := map[string]int{}
	for _, l := range g.lines {
		waits[l.To]++
	}
	left := slices.Clone(g.nodes)
	for len(left) > 0 {
		i := max(0, slices.IndexFunc(left, func(n string) bool { return waits[n] == 0 }))
		name := left[i]
		left = slices.Delete(left, i, i+1)
		for _, l := range g.lines {
			if l.From == name && slices.Contains(left, l.To) {
				waits[l.To]--
				to := &g.slots[g.of[l.To]]
				to.layer = max(to.layer, g.slots[g.of[name]].layer+1)
			}
		}
	}
}

// thread gives lines that pass layers a slot in each, and joins what is side by side.
func (g *graph) thread() {
	for i, l := range g.lines {
		at, end := g.of[l.From], g.of[l.To]
		if g.slots[end].layer <= g.slots[at].layer {
			continue // it leads back
		}
		for layer := g.slots[at].layer + 1; layer < g.slots[end].layer; layer++ {
			g.slots = append(g.slots, slot{layer: layer})
			next := len(g.slots) - 1
			g.join(at, next)
			g.chains[i], at = append(g.chains[i], next), next
		}
		g.join(at, end)
	}
	for i, s := range g.slots {
		for len(g.layers) <= s.layer {
			g.layers = append(g.layers, nil)
		}
		g.layers[s.layer] = append(g.layers[s.layer], i)
	}
}

func (g *graph) join(a, b int) {
	g.slots[a].after, g.slots[b].before = append(g.slots[a].after, b), append(g.slots[b].before, a)
}

// sweeps is how often the layers are ordered anew by those beside them.
const sweeps = 4

// order sorts each layer by the middle of what its slots are joined to, there and back, so that few lines cross.
func (g *graph) order() {
	for range sweeps {
		for _, layer := range g.layers {
			g.sort(layer, func(s slot) []int { return s.before })
		}
		for _, layer := range slices.Backward(g.layers) {
			g.sort(layer, func(s slot) []int { return s.after })
		}
	}
}

func (g *graph) sort(layer []int, beside func(slot) []int) {
	for at, i := range layer {
		s := &g.slots[i]
		s.rank = float64(at)
		if all := beside(*s); len(all) > 0 {
			sum := 0
			for _, other := range all {
				sum += slices.Index(g.layers[g.slots[other].layer], other)
			}
			s.rank = float64(sum) / float64(len(all))
		}
	}
	slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(g.slots[a].rank, g.slots[b].rank) })
}
