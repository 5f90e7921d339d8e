// Package samschema holds template.yaml against the published schema of AWS SAM and CloudFormation:
// which resources there are, which properties each has, and of what type they are. The schema is the
// one that awslabs/goformation carries; it is 8 MB of generated text, which is why this is a module of
// its own that make test-real tests and nothing imports.
//
// It must not know what Berth wants of its template: the tests of local do. Start with Complaints.
package samschema
