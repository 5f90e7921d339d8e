package s3

import "time"

func init() { firstWait = time.Millisecond }
