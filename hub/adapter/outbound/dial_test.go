package outbound

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
)

func TestAddressesThatNoServiceHasAreRefused(t *testing.T) {
	for address, allowed := range map[string]bool{
		"127.0.0.1:80": true, "10.1.2.3:8200": true, "192.168.1.1:443": true, "[fd00::1]:443": true, "203.0.113.7:443": true, "[::ffff:10.0.0.1]:80": true,
		"169.254.169.254:80": false, "[::ffff:169.254.169.254]:80": false, "[fe80::1%eth0]:80": false, "[fd00:ec2::254]:80": false,
		"224.0.0.1:80": false, "[ff02::1]:80": false, "0.0.0.0:80": false, "[::]:80": false, "255.255.255.255:80": false,
	} {
		if err := permitted(address, ""); (err == nil) != allowed || !allowed && fault.CodeOf(err) != "outbound.address_refused" {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// The address is looked at when it is dialled: a name that leads there is refused as well.
func TestTheDialedAddressIsLookedAt(t *testing.T) {
	if conn, err := dialer(time.Minute, "")(t.Context(), "tcp", "169.254.169.254:80"); err == nil || !strings.Contains(err.Error(), "169.254.169.254") {
		t.Errorf("%v, %v", conn, err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	defer server.Close()
	conn, err := dialer(time.Minute, "")(t.Context(), "tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}
