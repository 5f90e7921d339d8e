package seal

import "errors"

// Unlock opens the ring at start-up. When the rows are wrapped under previous
// (SECRET_KEY_PREVIOUS, zero when not set), it returns the rows rewrapped under key,
// which the caller stores in one transaction before any port opens; otherwise
// rewrapped is nil and nothing is to be written. When neither key fits, the error is
// the ErrWrongKey of key.
//
// Being interrupted is harmless: until the transaction is committed the previous key
// opens the ring, and afterwards the new one does.
func Unlock(key, previous SecretKey, rows []WrappedKey) (ring *Ring, rewrapped []WrappedKey, err error) {
	ring, err = OpenRing(key, rows)
	if err == nil || previous.IsZero() || !errors.Is(err, ErrWrongKey) {
		return ring, nil, err
	}
	ring, previousErr := OpenRing(previous, rows)
	if errors.Is(previousErr, ErrWrongKey) {
		return nil, nil, err
	}
	if previousErr != nil {
		return nil, nil, previousErr
	}
	rewrapped, err = ring.Wrap(key)
	if err != nil {
		return nil, nil, err
	}
	return ring, rewrapped, nil
}
