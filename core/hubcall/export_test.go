package hubcall

// Remembered returns how many calls are remembered.
func (k *Key) Remembered() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.seen)
}
