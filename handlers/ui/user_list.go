package ui

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/identity"
	"berth/handlers/endpoint"
)

// UserKeeper lists users, changes their role or bars them, and removes them; never the last
// administrator.
type UserKeeper interface {
	Users(ctx context.Context, ask core.Page) (core.List[identity.User], error)
	ChangeUser(ctx context.Context, who access.Principal, id core.UserID, change identity.UserChange) (identity.User, error)
	DeleteUser(ctx context.Context, who access.Principal, id core.UserID) error
}

type userListPage struct {
	Lines []userLine
	More  string
}

type userLine struct {
	Name, Email, Href string
	Role              string
	Disabled          bool
	Self              bool // who looks at the page
	Added             moment
}

var userListView = newView[userListPage]("user_list.html")

// Users lists the people who may sign in, oldest first.
func Users(keeper UserKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		list, err := keeper.Users(r.Context(), ask)
		if err != nil {
			return err
		}
		page := userListPage{More: following(r.URL, list.Next)}
		for _, u := range list.Items {
			page.Lines = append(page.Lines, userOf(r, u, now()))
		}
		return userListView.write(w, r, http.StatusOK, newFrame(r, inUsers, "Users"), page)
	})
}

func userOf(r *http.Request, u identity.User, now time.Time) userLine {
	return userLine{Name: u.Name, Email: u.Email, Href: "/users/" + string(u.ID), Role: string(u.Role), Disabled: u.Disabled,
		Self: endpoint.Principal(r.Context()).ID == string(u.ID), Added: at(u.CreatedAt, now)}
}
