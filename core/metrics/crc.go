package metrics

import "hash/crc32"

// joinCRC returns the IEEE CRC-32 of two texts one after the other, from that of each and shiftCRC of
// the length of the second. A CRC is a remainder of polynomials over GF(2), so appending n bytes
// multiplies the first one by x^(8n). RFC 1952 demands the CRC of all that was compressed, and pieces
// that were compressed earlier are not read again for it.
func joinCRC(first, second, shift uint32) uint32 {
	return timesCRC(shift, first) ^ second
}

// shiftCRC returns what n bytes more multiply a CRC by.
func shiftCRC(n int) uint32 { return powerCRC(uint64(n) * 8) }

// timesCRC multiplies two polynomials modulo the one of CRC-32. The highest bit is the power 0.
func timesCRC(a, b uint32) (product uint32) {
	for bit := uint32(1) << 31; bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		b = b>>1 ^ crc32.IEEE&-(b&1)
	}
	return product
}

// squares are x^(2^i) modulo the polynomial.
var squares = func() (table [64]uint32) {
	table[0] = 1 << 30 // x
	for i := 1; i < len(table); i++ {
		table[i] = timesCRC(table[i-1], table[i-1])
	}
	return table
}()

// powerCRC returns x^n modulo the polynomial.
func powerCRC(n uint64) uint32 {
	power := uint32(1) << 31 // x^0
	for i := 0; n != 0; i, n = i+1, n>>1 {
		if n&1 != 0 {
			power = timesCRC(squares[i], power)
		}
	}
	return power
}
