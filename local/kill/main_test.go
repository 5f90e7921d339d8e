package kill

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets more tests run at the same time than there are processors, unless -parallel
// says otherwise: what they do most is wait.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", "5"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
