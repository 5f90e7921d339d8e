//go:build reals3

package s3_test

import (
	"testing"

	"berth/core/secrets"
	"berth/hub/adapter/s3"
	"berth/local/stand/reals3"
)

// TestRealS3KeepsCopies holds the adapter against a real server.
func TestRealS3KeepsCopies(t *testing.T) {
	server := reals3.Start(t)
	keepsCopies(t, place{s3.Settings{Endpoint: server.Endpoint, Region: server.Region, Bucket: server.Bucket, Prefix: "team/berth",
		AccessKey: server.AccessKey, SecretKey: secrets.NewValue(server.SecretKey), PathStyle: true}})
}
