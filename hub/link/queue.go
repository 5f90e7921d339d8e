package link

// frameCost is what a queued frame takes beside its bytes.
const frameCost = 64

// queue holds encoded frames in order. Its owner's lock guards it.
type queue struct {
	frames [][]byte
	bytes  int
	limit  int    // bytes; one more frame is taken as long as this is not reached
	pushed uint64 // frames ever taken
	sent   uint64 // frames ever written to the connection
}

func (q *queue) push(frame []byte) bool {
	if q.bytes >= q.limit {
		return false
	}
	q.frames = append(q.frames, frame)
	q.bytes += len(frame) + frameCost
	q.pushed++
	return true
}

func (q *queue) pop() ([]byte, bool) {
	if len(q.frames) == 0 {
		return nil, false
	}
	frame := q.frames[0]
	q.frames[0] = nil
	q.frames = q.frames[1:]
	if len(q.frames) == 0 {
		q.frames = nil // an idle link holds no memory
	}
	q.bytes -= len(frame) + frameCost
	return frame, true
}
