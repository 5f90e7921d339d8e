// Package variables owns environment variables: their names and values, the scopes that
// they belong to, secret ones with their providers, .env text in and out, and what a
// stack's rendering and its containers may see of them.
//
// A variable's value is kept byte for byte. The value of a secret leaves the package in
// one way only, Resolver.Secrets, as a secrets.Value: no Variable, error, audit event or
// exported text holds one. The package must not know SQL, HTTP or Compose. Start with
// Variable in variable.go and Desk in desk.go; resolve.go is what a deployment uses,
// dotenv.go specifies the .env text.
package variables
