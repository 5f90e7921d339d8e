// Package s3 keeps copies of backups in a bucket of a server that speaks S3.
//
// Every request is signed (Signature Version 4) with the digest of its body, so the server refuses what changed on
// its way; after an upload the object's size is asked for. What is large goes in pieces: each is one request with a
// time limit and attempts of its own, up (a multipart upload) and down (ranges of one version of the object). The
// package must not know what an archive is; names are those of core/backups. Start with Bucket in bucket.go; send.go
// has how a request is made, put.go and get.go move archives, faults.go has what goes wrong.
package s3
