// Package pace owns how often something may happen: token buckets by key, in memory,
// bounded in number.
//
// A bucket holds up to Burst tokens and regains one every Every. It must not know what
// is being counted; core/identity counts tries to sign in, handlers/guard counts
// requests. Start with New and Take.
package pace
