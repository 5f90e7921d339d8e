package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/identity"
	"berth/handlers/endpoint"
)

// ServiceAccountLister lists service accounts.
type ServiceAccountLister interface {
	// ServiceAccounts lists service accounts with their keys, oldest first.
	ServiceAccounts(ctx context.Context, page core.Page) (core.List[identity.ServiceAccount], error)
}

// ListServiceAccounts lists service accounts with their keys, oldest first.
func ListServiceAccounts(accounts ServiceAccountLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		list, err := accounts.ServiceAccounts(r.Context(), page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showAccount)
	})
}
