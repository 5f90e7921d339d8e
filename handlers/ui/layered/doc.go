// Package layered places the boxes of a graph in layers from left to right, so that every line
// leads from a layer to one further right, and says along which points the lines run.
//
// It owns geometry alone: it must not know what the boxes stand for, nor how they are coloured.
// The same graph gives the same drawing. Start with Draw.
package layered
