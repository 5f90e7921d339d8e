package render

import (
	"go.yaml.in/yaml/v3"
)

// weight is how large YAML becomes once aliases and extends are expanded. Sums stop
// at a number far above every limit, so they cannot overflow.
type weight struct {
	nodes, bytes, height int
}

const endless = 1 << 40

func (w *weight) add(part weight) {
	w.nodes = min(w.nodes+part.nodes, endless)
	w.bytes = min(w.bytes+part.bytes, endless)
	w.height = max(w.height, part.height+1)
}

// scale weighs nodes, remembering what anchors weigh so that the work is linear in the
// size of the file however large the expansion is.
type scale struct {
	d       *document
	known   map[*yaml.Node]weight
	pending map[*yaml.Node]bool
}

// weigh returns the document's expanded weight.
func (d *document) weigh() (weight, error) {
	s := &scale{d: d, known: map[*yaml.Node]weight{}, pending: map[*yaml.Node]bool{}}
	total, err := s.node(d.root)
	if err != nil {
		return weight{}, err
	}
	if total.height > maxDepth {
		return weight{}, tooLarge("%s: aliases nest deeper than %d levels.", d.path, maxDepth)
	}
	if total.nodes > maxNodes || total.bytes > maxNodeBytes {
		return weight{}, d.overweight() // before extends are followed: they would walk the expansion
	}
	inherited, err := s.inherited()
	total.add(inherited)
	return total, err
}

func (s *scale) node(n *yaml.Node) (weight, error) {
	if w, ok := s.known[n]; ok {
		return w, nil
	}
	if s.pending[n] {
		return weight{}, invalid("%s: an alias contains itself.", s.d.at(n))
	}
	s.pending[n] = true
	w := weight{nodes: 1, bytes: len(n.Value)}
	children := n.Content
	if n.Kind == yaml.AliasNode {
		w, children = weight{}, []*yaml.Node{n.Alias}
	}
	for _, child := range children {
		part, err := s.node(child)
		if err != nil {
			return weight{}, err
		}
		w.add(part)
	}
	s.known[n] = w
	return w, nil
}

// inherited returns what services gain by extending others of the same file.
func (s *scale) inherited() (weight, error) {
	services := entries(lookup(s.d.root, "services"))
	if len(services) > maxServices {
		return weight{}, tooLarge("%s: more than %d compose services.", s.d.path, maxServices)
	}
	bases := map[string]string{}
	nodes := map[string]*yaml.Node{}
	for _, e := range services {
		nodes[e.name] = e.value
		bases[e.name] = baseOf(e.value)
	}
	var total weight
	for name := range nodes {
		steps := 0
		for base := bases[name]; base != ""; base = bases[base] {
			if steps++; steps > len(nodes) {
				return weight{}, invalid("%s: services.%s extends itself.", s.d.path, name)
			}
			if nodes[base] == nil {
				break // the Compose library reports it by name
			}
			part, err := s.node(nodes[base])
			if err != nil {
				return weight{}, err
			}
			total.add(part)
		}
	}
	return total, nil
}

// baseOf returns the compose service that a service extends, in the same file.
func baseOf(service *yaml.Node) string {
	extends := deref(lookup(service, "extends"))
	if extends != nil && extends.Kind == yaml.MappingNode {
		extends = deref(lookup(extends, "service"))
	}
	if extends == nil || extends.Kind != yaml.ScalarNode {
		return ""
	}
	return extends.Value
}

// spend takes the document's weight off what all files together may weigh.
func (d *document) spend(budget *weight) error {
	budget.nodes -= d.size.nodes
	budget.bytes -= d.size.bytes
	if budget.nodes < 0 || budget.bytes < 0 {
		return d.overweight()
	}
	return nil
}

func (d *document) overweight() error {
	return tooLarge("%s: with aliases and extends expanded, the Compose files hold more than %d values or %d MiB.", d.path, maxNodes, maxNodeBytes>>20)
}
