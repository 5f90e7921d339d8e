package hub

import "sync"

// chore is work that comes up now and then while a link lasts. It has a goroutine only while there is
// some: ten thousand links at rest must not hold one each for every kind of work. Its zero value is
// ready, and remembers that it was woken.
type chore struct {
	mu   sync.Mutex
	work func()        // guarded by mu; nil before begin and after end
	due  bool          // guarded by mu: woken since the work began last
	busy chan struct{} // guarded by mu: closed at the goroutine's end; nil while there is none
}

// begin says what the work is. It is done after each wake, never twice at a time; what there was to do when
// it began has to be done when it returns.
func (c *chore) begin(work func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.work = work
	c.start()
}

// wake makes the work be done, once more when it is being done now. It never blocks.
func (c *chore) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due = true
	c.start()
}

// end waits until the work, which has to return by itself, is not done any more, now and later.
func (c *chore) end() {
	c.mu.Lock()
	c.work = nil
	busy := c.busy
	c.mu.Unlock()
	if busy != nil {
		<-busy
	}
}

// start is called under the lock.
func (c *chore) start() {
	if !c.due || c.work == nil || c.busy != nil {
		return
	}
	c.busy = make(chan struct{})
	go c.run(c.busy)
}

func (c *chore) run(busy chan struct{}) {
	defer close(busy)
	for work := c.take(); work != nil; work = c.take() {
		work()
	}
}

// take returns what to do; nil: nothing, and the goroutine ends.
func (c *chore) take() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.due || c.work == nil {
		c.busy = nil
		return nil
	}
	c.due = false
	return c.work
}
