// Nothing that is shipped is in this module or below it; see doc.go.
module samschema

go 1.26

require (
	github.com/awslabs/goformation/v7 v7.14.9
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	go.yaml.in/yaml/v3 v3.0.6
)

require golang.org/x/text v0.14.0 // indirect
