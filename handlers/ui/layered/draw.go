package layered

import "fmt"

// Line is a wish for a line between two boxes, and once it is drawn its path. Kind is the caller's.
type Line struct {
	From, To string
	Kind     string
	Path     string // SVG path data, from the right side of From to the left side of To
	Tip      string // SVG path data of the arrow's head
}

// Box is where a node stands; X and Y are of its upper left corner.
type Box struct {
	Name  string
	Layer int
	X, Y  int
}

// Measure says how large boxes are and how far from each other.
type Measure struct {
	Width, Height  int // of a box
	Across, Beside int // between two layers, and between two boxes of one
}

// Drawing is a graph with its coordinates. Its extent is Width by Height from the origin.
type Drawing struct {
	Width, Height int
	Boxes         []Box  // by layer, from the top; those that no line touches last
	Lines         []Line // as they were given
}

const (
	tipLength  = 7
	tipHalf    = 4
	leastRow   = 3 // boxes in a row of those that no line touches
	slimHeight = 12
)

// Draw places the nodes, which are distinct. Lines between others and from a node to itself are left
// out. What goes round in a circle is drawn too, with a line that leads back.
func Draw(nodes []string, lines []Line, m Measure) Drawing {
	g := newGraph(nodes, lines)
	g.rank()
	g.thread()
	g.order()
	d := g.place(m)
	g.aside(&d, m)
	for i, l := range g.lines {
		g.lines[i].Path, g.lines[i].Tip = g.path(i, l, m)
	}
	d.Lines = g.lines
	return d
}

// path leads along the slots of a line.
func (g *graph) path(i int, l Line, m Measure) (path, tip string) {
	from, to := g.slots[g.of[l.From]], g.slots[g.of[l.To]]
	x, y := from.x+m.Width, from.y+m.Height/2
	path = fmt.Sprintf("M%d %d", x, y)
	half := m.Across / 2
	for _, s := range g.chains[i] {
		slot := g.slots[s]
		through := slot.y + slimHeight/2
		path += fmt.Sprintf("C%d %d %d %d %d %dh%d", x+half, y, slot.x-half, through, slot.x, through, m.Width)
		x, y = slot.x+m.Width, through
	}
	endX, endY := to.x, to.y+m.Height/2
	path += fmt.Sprintf("C%d %d %d %d %d %d", x+half, y, endX-half, endY, endX-tipLength, endY)
	return path, fmt.Sprintf("M%d %dl-%d -%dv%dZ", endX, endY, tipLength, tipHalf, 2*tipHalf)
}
