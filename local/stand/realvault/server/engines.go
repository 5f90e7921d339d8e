package main

import (
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
)

// engines are what can be mounted: the key-value store alone.
type engines struct{}

// Contains implements plugincatalog.BuiltinRegistry.
func (engines) Contains(name string, kind consts.PluginType) bool {
	return name == "kv" && kind == consts.PluginTypeSecrets
}

// Get implements plugincatalog.BuiltinRegistry.
func (e engines) Get(name string, kind consts.PluginType) (func() (any, error), bool) {
	return func() (any, error) { return logical.Factory(kv.Factory), nil }, e.Contains(name, kind)
}

// Keys implements plugincatalog.BuiltinRegistry.
func (e engines) Keys(kind consts.PluginType) []string {
	if e.Contains("kv", kind) {
		return []string{"kv"}
	}
	return nil
}

// DeprecationStatus implements plugincatalog.BuiltinRegistry.
func (e engines) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, e.Contains(name, kind)
}

// IsBuiltinEntPlugin implements plugincatalog.BuiltinRegistry.
func (engines) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }
