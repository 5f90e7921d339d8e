package runtimeapi_test

import (
	"debug/buildinfo"
	"slices"
	"strings"
	"testing"
)

// modules are what the function is made of beside this one. Each is a part of its start and its
// size: the host's runtime and its adapter, the driver of the database with what that brings,
// the reader of rendered Compose files, age, which makes the key pair of a
// repository that is added, what verifies the tokens of a single sign-on provider, and what draws the code of a second factor.
var modules = []string{
	"filippo.io/age",
	"filippo.io/hpke",
	"github.com/aws/aws-lambda-go",
	"github.com/awslabs/aws-lambda-go-api-proxy",
	"github.com/coreos/go-oidc/v3",
	"github.com/go-jose/go-jose/v4",
	"github.com/jackc/pgpassfile",
	"github.com/jackc/pgservicefile",
	"github.com/jackc/pgx/v5",
	"github.com/jackc/puddle/v2",
	"go.yaml.in/yaml/v3",
	"golang.org/x/crypto",
	"golang.org/x/oauth2",
	"golang.org/x/sync",
	"golang.org/x/sys",
	"golang.org/x/text",
	"rsc.io/qr",
}

// TestTheFunctionIsMadeOfThisAndNothingElse: no container engine, no Git, no database server.
func TestTheFunctionIsMadeOfThisAndNothingElse(t *testing.T) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, module := range info.Deps {
		got = append(got, module.Path)
	}
	if !slices.Equal(got, modules) {
		t.Errorf("the program is made of\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(modules, "\n"))
	}
}
