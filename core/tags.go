package core

import (
	"fmt"
	"strings"

	"berth/core/fault"
)

// Limits of worker tags, wherever they are written.
const (
	MaxTags = 64
	MaxTag  = 64 // bytes
)

// CheckTags complains about every tag that is not made of letters, digits, - and _, or
// when there are too many. path names the input, such as "tags".
func CheckTags(path string, tags []string) []fault.Field {
	var bad []fault.Field
	if len(tags) > MaxTags {
		bad = append(bad, fault.Field{Path: path, Problem: fmt.Sprintf("at most %d tags", MaxTags)})
	}
	for i, tag := range tags[:min(len(tags), MaxTags)] {
		if !ValidTag(tag) {
			bad = append(bad, fault.Field{Path: fmt.Sprintf("%s[%d]", path, i),
				Problem: fmt.Sprintf("1 to %d letters, digits, - and _; no spaces or other characters", MaxTag)})
		}
	}
	return bad
}

// ValidTag reports whether tag may be one.
func ValidTag(tag string) bool {
	if tag == "" || len(tag) > MaxTag {
		return false
	}
	return strings.IndexFunc(tag, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_')
	}) < 0
}
