// Command server is the Vault server that the contract test of secret providers runs against: Vault's own
// core, seal, tokens, policies, HTTP API and key-value engine, kept in memory. What it leaves out
// of the program that Vault ships is the command line and every other engine, which nothing here asks for and which
// bring another thousand packages.
//
// It is a module of its own, which nothing that is shipped links; Vault's licence (BUSL) is fit for tests
// alone. local/make/real-vault.sh builds it. Usage: server ADDRESS.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/hashicorp/go-hclog"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: server ADDRESS")
		os.Exit(2)
	}
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// serve serves a server that is neither initialised nor unsealed.
func serve(address string) error {
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Info})
	storage, err := inmem.NewInmem(nil, logger)
	if err != nil {
		return err
	}
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical: storage, Logger: logger, DisableMlock: true,
		BuiltinRegistry: engines{}, LogicalBackends: map[string]logical.Factory{"kv": kv.Factory},
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return http.Serve(listener, vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core, ListenerConfig: &configutil.Listener{}}))
}
