//go:build reals3

package allinone_test

import (
	"testing"

	"berth/local/stand/reals3"
)

// TestRealS3BringsAnEmptyMachineBack is the drill against a real server.
func TestRealS3BringsAnEmptyMachineBack(t *testing.T) {
	s := reals3.Start(t)
	drill(t, map[string]string{"endpoint": s.Endpoint, "region": s.Region, "bucket": s.Bucket, "access_key": s.AccessKey, "secret_key": s.SecretKey})
}
