package ops

import (
	"net"

	"berth/core/metrics"
)

// WriteParts implements metrics.Gathering. The guard's answer takes parts too.
func (e *exposition) WriteParts(parts [][]byte) error {
	e.start(parts[0])
	if to, can := e.to.(metrics.Gathering); can {
		return to.WriteParts(parts)
	}
	pieces := net.Buffers(parts)
	_, err := pieces.WriteTo(e.to)
	return err
}
