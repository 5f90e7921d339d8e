package policy

import (
	"regexp"
	"strings"
)

// Image is the name of an image as the engine reads it: nothing is left to a default.
type Image struct {
	Name   string // with registry and folder: docker.io/library/nginx
	Tag    string // latest, where neither tag nor digest is written; empty: a digest alone
	Digest string // sha256:…; where there is one the engine does not look at the tag
}

var (
	registryShape = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$`)
	folderShape   = regexp.MustCompile(`^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$`)
	tagShape      = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)
	digestShape   = regexp.MustCompile(`^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-f]{32,}$`)
	identifier    = regexp.MustCompile(`^[0-9a-f]{12,64}$`)
)

// ReadImage reads a reference to an image; ok is false for what is none, and for an image's identifier, which says
// nothing of where it came from.
func ReadImage(reference string) (i Image, ok bool) {
	rest, digest, pinned := strings.Cut(reference, "@")
	name, tag := splitTag(rest)
	if identifier.MatchString(name) && tag == "" && !pinned {
		return Image{}, false
	}
	i = Image{Name: fullName(name), Tag: tag, Digest: digest}
	if tag == "" && !pinned {
		i.Tag = "latest"
	}
	if pinned && !digestShape.MatchString(digest) || i.Tag != "" && !tagShape.MatchString(i.Tag) || strings.HasSuffix(rest, ":") {
		return Image{}, false
	}
	registry, folders, _ := strings.Cut(i.Name, "/")
	if !registryShape.MatchString(registry) || folders == "" || len(i.Name) > 255 {
		return Image{}, false
	}
	for folder := range strings.SplitSeq(folders, "/") {
		if !folderShape.MatchString(folder) {
			return Image{}, false
		}
	}
	return i, true
}

// splitTag parts the tag from a name; the colon of a registry's port is none.
func splitTag(text string) (name, tag string) {
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 || strings.Contains(text[colon:], "/") {
		return text, ""
	}
	return text[:colon], text[colon+1:]
}

// fullName puts in front of a name what the engine takes for granted. Registries are named in any case of letters.
func fullName(name string) string {
	first, rest, several := strings.Cut(name, "/")
	if !several || !strings.ContainsAny(first, ".:") && first != "localhost" && strings.ToLower(first) == first {
		if !several {
			name = "library/" + name
		}
		return "docker.io/" + name
	}
	first = strings.ToLower(first)
	if first == "index.docker.io" || first == "registry-1.docker.io" {
		first = "docker.io"
	}
	if first == "docker.io" && !strings.Contains(rest, "/") && rest != "**" { // of a pattern: all of the registry
		rest = "library/" + rest
	}
	return first + "/" + rest
}

// Latest reports whether what is run is whatever was pushed last.
func (i Image) Latest() bool { return i.Digest == "" && i.Tag == "latest" }

// Matches reports whether a pattern lets the image pass: a name as in a Compose file, in which * stands for anything
// but a slash and ** for anything. A pattern without a tag lets every tag and digest pass. One with a tag lets an image
// with a digest pass only if it has a digest too, because the engine looks at the digest alone.
func (i Image) Matches(pattern string) bool {
	rest, digest, pinned := strings.Cut(pattern, "@")
	name, tag := splitTag(rest)
	switch {
	case !glob(fullName(name), i.Name):
		return false
	case pinned && (i.Digest == "" || !glob(digest, i.Digest)):
		return false
	case tag == "":
		return true
	case i.Digest != "" && !pinned:
		return false
	}
	return glob(tag, i.Tag)
}

var imagePattern = regexp.MustCompile(`^[A-Za-z0-9\[][A-Za-z0-9._:/@*\[\]-]*$|^\*[A-Za-z0-9._:/@*-]*$`)

func imagePatternProblem(entry string) string {
	rest, digest, pinned := strings.Cut(entry, "@")
	name, tag := splitTag(rest)
	switch {
	case len(entry) > maxEntry || !imagePattern.MatchString(entry) || strings.Contains(digest, "@"):
		return "must be the name of an image, such as nginx, ghcr.io/acme/* or nginx:1.*; * stands for anything but a slash, ** for anything"
	case name == "" || strings.HasSuffix(rest, ":") || strings.Contains(name, "//") || strings.HasSuffix(name, "/"):
		return "has no complete name of an image"
	case pinned && digest == "" || tag != "" && strings.Contains(tag, "/"):
		return "has no complete tag or digest"
	}
	if _, path, _ := strings.Cut(fullName(name), "/"); strings.ToLower(path) != path {
		return "has capital letters, which the name of an image never has"
	}
	return ""
}

// glob reports whether text is what a pattern says: * is anything but a slash, ** anything. It takes time in
// proportion to the product of the lengths, whatever the pattern is.
func glob(pattern, text string) bool {
	reached := make([]bool, len(text)+1) // how much of text the pattern so far can be
	reached[0] = true
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '*' {
			for n := len(text); n > 0; n-- {
				reached[n] = reached[n-1] && text[n-1] == pattern[i]
			}
			reached[0] = false
			continue
		}
		every := i+1 < len(pattern) && pattern[i+1] == '*'
		if every {
			i++
		}
		for n := 1; n <= len(text); n++ {
			reached[n] = reached[n] || reached[n-1] && (every || text[n-1] != '/')
		}
	}
	return reached[len(text)]
}
