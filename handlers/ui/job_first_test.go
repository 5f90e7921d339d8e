package ui

import (
	"testing"

	"berth/core/jobs"
	"berth/hub/adapter/yaml"
)

// What people are told to copy is taken as it is.
func TestTheFirstJobThatIsOfferedIsOne(t *testing.T) {
	doc, err := yaml.Reader{}.ReadDocument([]byte(firstJob))
	if err != nil {
		t.Fatal(err)
	}
	d, err := jobs.ReadDefinition("jobs/hello/job.yaml", doc)
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "hello" || d.Cron == "" {
		t.Errorf("it is read as %+v", d)
	}
}
