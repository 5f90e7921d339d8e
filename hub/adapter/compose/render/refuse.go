package render

import (
	"go.yaml.in/yaml/v3"
)

// Keys that would make the Compose library or the engine read other files, run
// programs of the host or build images. Each says what to do instead.
var (
	refusedTop = map[string]string{
		"models": "it starts a program of the host; run the model as a compose service",
	}
	refusedInService = map[string]string{
		"build":           "only images are deployed: build and push the image in CI and name it under image",
		"develop":         "it is for a developer's machine: move it to a file that is not deployed",
		"provider":        "it starts a program of the host; use a compose service with an image",
		"label_file":      "write the labels under labels",
		"credential_spec": "it reads a file of the host",
		"use_api_socket":  "it hands the container the engine and the host's registry passwords",
		"models":          "it starts a program of the host; run the model as a compose service",
	}
)

// refuseUnsupported refuses keys by name and place. It judges each file as written, so
// that profiles, overrides and interpolation cannot hide one.
func (d *document) refuseUnsupported() error {
	for _, top := range entries(d.root) {
		if remedy, refused := refusedTop[top.name]; refused {
			return d.refuse(top.key, top.name, remedy)
		}
	}
	for _, service := range entries(lookup(d.root, "services")) {
		for _, e := range entries(service.value) {
			name := "services." + service.name + "." + e.name
			if remedy, refused := refusedInService[e.name]; refused {
				return d.refuse(e.key, name, remedy)
			}
		}
	}
	return nil
}

func (d *document) refuse(key *yaml.Node, name, remedy string) error {
	return unsupported("%s: %s is not supported: %s.", d.at(key), name, remedy)
}
