package sops

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"berth/core/fault"
)

var (
	errMalformed = fault.New(fault.Invalid, "sops.malformed", "The file is not YAML as sops writes it. Encrypt it again with sops; nothing was decrypted.")
	errPlain     = fault.New(fault.Invalid, "sops.not_encrypted",
		"The file is not encrypted. Encrypt it with sops for the repository's public key, and treat the values in it as exposed: whoever can read the repository has them.")
	errTampered = fault.New(fault.Invalid, "sops.tampered",
		"The file's content does not fit its MAC: it was changed by something other than sops, or is damaged. Decrypt it with sops, which shows the problem, or encrypt it again.")
	errGroups = fault.New(fault.Invalid, "sops.other_keys",
		"The file needs keys of several groups (shamir_threshold). Encrypt it with the repository's public key as an age recipient, without key groups.")
	errRules = fault.New(fault.Invalid, "sops.malformed",
		"The file's rule of what is encrypted (a suffix or a regular expression) is not one that can be used. It must be valid and have at most %d bytes.", maxRule)
	errMetadata = fault.New(fault.Invalid, "sops.malformed", "The section that sops writes at the end of the file cannot be read. Encrypt the file again with sops.")
)

func tooLarge(what string, have, most int) error {
	return fault.New(fault.TooLarge, "sops.too_large", "The file has %d %s; at most %d are read. Put large content into a file of its own.", have, what, most)
}

func notFlat(names []string) error {
	return fault.New(fault.Invalid, "sops.not_flat",
		"Only names with one value each are read. These hold lists, nested mappings or nothing: %s. Write each value under a name of its own at the top of the file.", listed(names))
}

func inClear(names []string) error {
	return fault.New(fault.Invalid, "sops.not_encrypted",
		"These values are not encrypted, though the file says they are: %s. Encrypt the file with sops, and treat those values as exposed.", listed(names))
}

func unprotected(names []string) error {
	return fault.New(fault.Invalid, "sops.not_encrypted",
		"These values are in clear and the MAC does not cover them (mac_only_encrypted): %s. Encrypt them, or encrypt the file again without mac_only_encrypted.", listed(names))
}

func otherKeys(kinds []string) error {
	return fault.New(fault.Invalid, "sops.other_keys",
		"The file is not encrypted for any age key, only with %s, which are never asked. Add the repository's public key as an age recipient, and encrypt the file again.", strings.Join(kinds, ", "))
}

func otherRecipients(recipients []string, public string) error {
	return fault.New(fault.Invalid, "sops.other_recipients",
		"The file is encrypted for %s, and the repository's public key is %s. If the repository's key was rotated, or the file was made for another repository, encrypt it again for that key.",
		listed(recipients), public)
}

func notOpened(public string) error {
	return fault.New(fault.Invalid, "sops.tampered",
		"The file names the repository's public key %s, but what it holds for that key cannot be opened with the private one: it is damaged or was put together by hand. Encrypt it again.", public)
}

// recipientForm is what an age public key looks like; whatever else a file has there is not shown.
var recipientForm = regexp.MustCompile(`^age1[0-9a-z-]{20,}$`)

// shown makes a recipient fit for people.
func shown(recipient string) string {
	switch {
	case !recipientForm.MatchString(recipient):
		return "a key that is no age public key"
	case len(recipient) > 80:
		return recipient[:80] + "…"
	}
	return recipient
}

// maxListed is how many names or recipients a message has.
const maxListed = 5

// maxNamed is how much of a name a message shows, in bytes.
const maxNamed = 60

// listed joins the first of some names.
func listed(names []string) string {
	texts := slices.Clone(names[:min(len(names), maxListed)])
	for i, text := range texts {
		if len(text) > 2*maxNamed {
			texts[i] = strings.ToValidUTF8(text[:maxNamed], "") + "…"
		}
	}
	if more := len(names) - len(texts); more > 0 {
		return strings.Join(texts, ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(texts, ", ")
}
