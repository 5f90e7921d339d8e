package api

import (
	"time"

	"berth/core"
	"berth/core/repositories"
)

// RepositoryKeyAnswer is a repository key as the API shows it; its password or private key never is.
type RepositoryKeyAnswer struct {
	ID        core.CredentialID   `json:"id"`
	Name      string              `json:"name"`
	Type      repositories.Type   `json:"type"`                   // basic, ssh or oauth
	Host      string              `json:"host"`                   // host or host:port that it is bound to
	Username  string              `json:"username"`               // of a key of type basic
	PublicKey string              `json:"public_key"`             // of a key of type ssh: what the Git host must know
	Account   string              `json:"account,omitempty"`      // of a key of type oauth: login on the Git host
	Connected string              `json:"connected_by,omitempty"` // of a key of type oauth: who connected it
	UsedBy    []RepositoryKeyUser `json:"used_by"`
	CreatedAt time.Time           `json:"created_at"`
	ChangedAt *time.Time          `json:"changed_at"` // when its secret was replaced last; null: never
}

// RepositoryKeyUser is a repository that is read with a key.
type RepositoryKeyUser struct {
	ID   core.RepositoryID `json:"id"`
	Name string            `json:"name"`
}

func showRepositoryKey(c repositories.Credential) RepositoryKeyAnswer {
	answer := RepositoryKeyAnswer{ID: c.ID, Name: c.Name, Type: c.Type, Host: c.Host, Username: c.Username, PublicKey: c.PublicKey, Account: c.Account, Connected: c.ConnectedBy, UsedBy: []RepositoryKeyUser{}, CreatedAt: c.CreatedAt}
	if !c.ChangedAt.IsZero() {
		answer.ChangedAt = &c.ChangedAt
	}
	for _, use := range c.UsedBy {
		answer.UsedBy = append(answer.UsedBy, RepositoryKeyUser{ID: use.ID, Name: use.Name})
	}
	return answer
}
