// Package journal owns what a worker must not forget: which commands it accepted and
// how they ended, until the hub has said that it knows.
//
// The journal is one append-only file. Each record stands on disk before the message
// that it permits is sent: RECEIVED before Accepted, RESULT before Result. A record that
// was cut by a crash is dropped when the file is opened; since nothing was said to the
// hub on its strength, nothing is lost.
//
// # The file
//
// Eight bytes of magic, then records. A record is a length (4 bytes, big endian), a
// CRC-32C over length and payload (4 bytes), and the payload, JSON of at most MaxRecord
// bytes. Once the dead records outweigh the living the file is written anew beside the
// old one and renamed over it.
//
// A failed write or fsync leaves the file in doubt, so the next append writes the whole
// journal anew rather than trusting it; what a full disk cut short is cut off. Beside the file lies a reserve of disk space
// that is given up when a result would not fit: a full disk refuses new commands and
// keeps the results of old ones.
//
// No record holds a secret: the type that is written has no place for one. The package
// must not know the link, the engine or the network. Start with Open and Entry.
package journal
