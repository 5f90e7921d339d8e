// Package realvault runs a real Vault server for tests: in memory, on a port of its own, initialised and
// unsealed. It leaves nothing behind: the server ends with the test process, however that ends.
//
// The program comes from the module beside it, server, which local/make/real-vault.sh builds once and
// keeps outside the checkout; BERTH_REAL_VAULT names it. It is for tests alone, by its licence as well.
// Start with Server in server.go; ask.go has what a test does to it.
package realvault
