-- The age key pair of each repository, and the encrypted secrets file of each revision: the digest
-- of its bytes, which are kept with the revision's files. Repositories from before get a key when the hub starts.

ALTER TABLE repositories ADD COLUMN sops_age_public_key TEXT NOT NULL DEFAULT '';
ALTER TABLE repositories ADD COLUMN sops_age_key BLOB;

ALTER TABLE revisions ADD COLUMN secrets_file TEXT NOT NULL DEFAULT '';
