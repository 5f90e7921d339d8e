package s3

import (
	"encoding/xml"
	"net/http"
	"slices"

	"berth/core/fault"
	"berth/hub/adapter/outbound"
)

var codes = outbound.Codes{Address: "storage.address", Unreachable: "storage.unreachable", Untrusted: "storage.untrusted", Slow: "storage.slow", TooLarge: "storage.too_large",
	Malformed: "storage.malformed", Redirected: "storage.redirected", Busy: "storage.busy", Failed: "storage.failed"}

const (
	codeDenied   = "storage.denied"
	codeNotThere = "storage.not_there"
)

// unknownKeys are the words for a key that is not known, or not with that secret; the last is versitygw's.
var unknownKeys = []string{"SignatureDoesNotMatch", "InvalidAccessKeyId", "XAdminUserNotFound"}

// refused is the fault for an answer that is no good one. Of what the storage says only its word for the error is
// looked at, never shown.
func (b *Bucket) refused(answer *http.Response) error {
	var said struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
	}
	_ = xml.NewDecoder(answer.Body).Decode(&said) // an answer to HEAD, or of a proxy, says nothing; the status does
	switch {
	case said.Code == "NoSuchBucket":
		return fault.New(fault.Conflict, codeNotThere, "%s has no bucket %s. Create it there, or correct its name under Settings, Integrations", b.small.Address, b.s.Bucket)
	case slices.Contains(unknownKeys, said.Code):
		return fault.New(fault.Conflict, codeDenied, "the storage at %s does not know the access key, or the secret key is not its. Enter both again under Settings, Integrations", b.small.Address)
	case said.Code == "RequestTimeTooSkewed":
		return fault.New(fault.Conflict, codeDenied, "the clock of this server differs from that of the storage at %s by too much. Set it right", b.small.Address)
	case said.Code == "AuthorizationHeaderMalformed" || said.Code == "PermanentRedirect":
		return fault.New(fault.Conflict, codeDenied, "the bucket %s is in another region than %s. Correct region and endpoint under Settings, Integrations", b.s.Bucket, b.s.Region)
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return fault.New(fault.Conflict, codeDenied, "the storage at %s refuses the access key. It must be allowed to list the bucket %s, and to read, write and delete its objects", b.small.Address, b.s.Bucket)
	case answer.StatusCode == http.StatusNotFound:
		return fault.New(fault.NotFound, codeNotThere, "the storage at %s does not have that copy any more", b.small.Address)
	case answer.StatusCode == http.StatusPreconditionFailed:
		return fault.New(fault.Unavailable, codes.Failed, "the copy was changed at %s while it was read", b.small.Address)
	}
	if err := b.small.Status(answer.StatusCode, answer.Header, b.now()); err != nil {
		return err
	}
	return b.small.Unexpected(answer.StatusCode)
}
