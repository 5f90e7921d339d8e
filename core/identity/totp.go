package identity

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// One-time codes as RFC 6238 has them and every authenticator app knows them: HMAC-SHA-1, six digits, a new code every
// 30 seconds.
const (
	totpPeriod = 30 // seconds
	totpDigits = 6
	totpDrift  = 1  // steps that a clock may be off, either way
	totpSecret = 20 // bytes, as RFC 4226, section 4 advises
)

var totpEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// totpCode is the code of one step.
func totpCode(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0x0f
	number := binary.BigEndian.Uint32(sum[at:at+4]) & 0x7fffffff
	return fmt.Sprintf("%0*d", totpDigits, number%1_000_000)
}

// totpMatch returns the step whose code this is, of those that a clock may be off; false when it is none of theirs.
func totpMatch(secret []byte, code string, now time.Time) (step int64, fits bool) {
	current := now.Unix() / totpPeriod
	for _, s := range []int64{current - totpDrift, current, current + totpDrift} {
		if subtle.ConstantTimeCompare([]byte(totpCode(secret, s)), []byte(code)) == 1 {
			step, fits = s, true
		}
	}
	return step, fits
}

// plainCode is a code without what people and apps put between its parts.
func plainCode(code string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(code)))
}

// totpAddress is what an authenticator app reads from a picture (Key URI Format of Google Authenticator).
func totpAddress(issuer, account, secret string) string {
	q := url.Values{"secret": {secret}, "issuer": {issuer}, "algorithm": {"SHA1"}, "digits": {fmt.Sprint(totpDigits)}, "period": {fmt.Sprint(totpPeriod)}}
	return "otpauth://totp/" + url.PathEscape(issuer+":"+account) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}
