package integrations

import (
	"slices"

	"berth/core/secrets"
)

// CategorySecretBackend is what keeps secret values.
const CategorySecretBackend = "secret_backend"

// CategoryStorageBackend is what keeps copies of backups.
const CategoryStorageBackend = "storage_backend"

// S3 is the integration of a bucket for copies of backups.
const S3 = "s3"

// SOPS is the integration of secrets files in repositories. It is always enabled.
const SOPS = "sops"

// Field is one setting of an integration.
type Field struct {
	Name     string // as in the API
	Label    string
	Help     string
	Default  string
	Required bool
	Secret   bool                // sealed, never shown again
	Target   bool                // where secret settings are sent: they do not go anywhere else
	problem  func(string) string // what is wrong with a value that is not empty; "" is nothing
}

// Declaration is what Berth knows of an integration before anybody configured it.
type Declaration struct {
	Slug     string
	Kind     string // of a notification target: one of Webhook and so on
	Category string
	Name     string
	Summary  string
	Locked   bool // always enabled, and nothing can be set
	Fields   []Field
}

// declared are all integrations but notification targets, in the order in which they are shown.
var declared = []Declaration{
	{
		Slug: secrets.Vault, Category: CategorySecretBackend, Name: "Vault", Summary: "Secrets in a key-value store, version 2, of a Vault server.",
		Fields: []Field{
			{Name: "address", Label: "Address", Help: "https://host:port of the server.", Required: true, Target: true, problem: badURL},
			{Name: "token", Label: "Token", Help: "It needs to read what variables name, and to list what the picker shows.", Required: true, Secret: true, problem: badLine},
			{Name: "allowed_mount", Label: "Allowed mount", Help: "The one mount that may be read and picked from. Empty: every one that the token may read.", problem: badMount},
		},
	},
	{
		Slug: secrets.Manager, Category: CategorySecretBackend, Name: "Secrets manager", Summary: "Secrets in a server with Infisical's API, by universal authentication.",
		Fields: []Field{
			{Name: "site_url", Label: "Site URL", Help: "https://host of the server.", Default: "https://app.infisical.com", Required: true, Target: true, problem: badURL},
			{Name: "client_id", Label: "Client ID", Help: "Of the machine identity that reads.", Required: true, Target: true, problem: badLine},
			{Name: "client_secret", Label: "Client secret", Required: true, Secret: true, problem: badLine},
			{Name: "allowed_project_id", Label: "Allowed project", Help: "ID of the one project that may be read and picked from. Empty: every one that the identity may read.", problem: badLine},
		},
	},
	{
		Slug: SOPS, Category: CategorySecretBackend, Name: "SOPS", Summary: "A secrets.yaml beside the manifest in the repository, encrypted for the repository's age key.", Locked: true,
	},
	{
		Slug: S3, Category: CategoryStorageBackend, Name: "S3", Summary: "Copies of backups in a bucket of a server that speaks S3. They are encrypted before they leave.",
		Fields: []Field{
			{Name: "endpoint", Label: "Endpoint", Help: "https://host[:port] of the server, without the bucket.", Required: true, Target: true, problem: badURL},
			{Name: "region", Label: "Region", Help: "As the server calls it; most that are not Amazon's take any.", Default: "us-east-1", problem: badRegion},
			{Name: "bucket", Label: "Bucket", Help: "It must be there already.", Required: true, problem: badBucket},
			{Name: "prefix", Label: "Prefix", Help: "Path below which the copies are. Each installation needs one of its own: what is over is deleted there.", Default: "berth", problem: badPrefix},
			{Name: "access_key", Label: "Access key", Help: "It needs to list the bucket, and to read, write and delete objects.", Required: true, problem: badLine},
			{Name: "secret_key", Label: "Secret key", Required: true, Secret: true, problem: badLine},
			{Name: "path_style", Label: "Bucket in the path", Help: "true: https://host/bucket, which most servers take. false: https://bucket.host.", Default: "true", problem: badTruth},
			{Name: "keep", Label: "Keep", Help: "How many copies stay of backups by schedule, and of those before a restore or an upgrade. What people made or uploaded stays until they delete it.", Default: "30", problem: badCount},
		},
	},
}

// Declared returns all integrations, in the order in which they are shown.
func Declared() []Declaration { return slices.Concat(declared, notifications) }

// find returns an integration's declaration; NotFound "integration.not_found".
func find(slug string) (Declaration, error) {
	for _, d := range Declared() {
		if d.Slug == slug {
			return d, nil
		}
	}
	if d, ok := named(slug); ok {
		return d, nil
	}
	return Declaration{}, errUnknown
}
