package jobs

import (
	"fmt"
	"regexp"
	"strings"
)

// The parts of an image's name, as registries read it: [host[:port]/]path[:tag][@digest].
const (
	imageHost   = `(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?`
	imagePart   = `[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`
	imageTag    = `[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}`
	imageDigest = `sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}`
)

var (
	imageName = regexp.MustCompile(`^((?:` + imageHost + `/)?` + imagePart + `(?:/` + imagePart + `)*)(?::` + imageTag + `)?(?:@(?:` + imageDigest + `))?$`)
	imageID   = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

const maxImage = 255 // bytes of the name without tag and digest

// imageProblem says what is wrong with the name of an image; empty when nothing is. Only a name passes: nothing that
// could be taken for an option.
func imageProblem(image string) string {
	m := imageName.FindStringSubmatch(image)
	if m != nil && len(m[1]) <= maxImage && !imageID.MatchString(image) {
		return ""
	}
	text := fmt.Sprintf("%.100q is not the name of an image, such as alpine:3.20 or ghcr.io/acme/backup:1.4", image)
	switch {
	case strings.HasPrefix(image, "-"):
		return text + "; options of the engine are not passed on"
	case strings.ContainsAny(image, " \t\n"):
		return text + "; what it is to run stands under command"
	case m == nil && imageName.MatchString(strings.ToLower(image)):
		return text + "; names are in lower case"
	}
	return text
}
