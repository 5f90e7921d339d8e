package layered

// place gives every slot its coordinates: each layer in the middle of the highest.
func (g *graph) place(m Measure) Drawing {
	var d Drawing
	for _, layer := range g.layers {
		d.Height = max(d.Height, g.height(layer, m))
	}
	for at, layer := range g.layers {
		x, y := at*(m.Width+m.Across), (d.Height-g.height(layer, m))/2
		for _, i := range layer {
			s := &g.slots[i]
			s.x, s.y = x, y
			y += g.slots[i].height(m) + m.Beside
			if s.name != "" {
				d.Boxes = append(d.Boxes, Box{Name: s.name, Layer: at, X: s.x, Y: s.y})
			}
		}
		d.Width = x + m.Width
	}
	return d
}

func (g *graph) height(layer []int, m Measure) int {
	height := -m.Beside
	for _, i := range layer {
		height += g.slots[i].height(m) + m.Beside
	}
	return height
}

func (s slot) height(m Measure) int {
	if s.name == "" {
		return slimHeight
	}
	return m.Height
}

// aside puts the nodes that no line touches in rows beneath the others.
func (g *graph) aside(d *Drawing, m Measure) {
	top := d.Height
	if top > 0 {
		top += 2 * m.Beside
	}
	row := max(leastRow, len(g.layers))
	for i, name := range g.alone {
		b := Box{Name: name, X: i % row * (m.Width + m.Across), Y: top + i/row*(m.Height+m.Beside)}
		d.Boxes = append(d.Boxes, b)
		d.Width, d.Height = max(d.Width, b.X+m.Width), b.Y+m.Height
	}
}
