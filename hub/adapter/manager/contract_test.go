package manager_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"berth/core/coretest"
	"berth/core/secrets"
	"berth/hub/adapter/manager"
	"berth/hub/adapter/outbound"
	"berth/local/stand/managerstand"
)

const clientSecret = "canary-client-secret"

// room is a stand-in with a client of it.
type room struct {
	*testing.T
	server *managerstand.Server
	http   *httptest.Server
	client *manager.Client
}

// newServer has two projects and an identity.
func newServer() *managerstand.Server {
	server := managerstand.New()
	server.Identity("id-1", clientSecret)
	server.Project("p1", managerstand.Project{Name: "Shop", Environments: []string{"dev", "prod"}})
	server.Project("p2", managerstand.Project{Name: "Other", Environments: []string{"prod"}})
	return server
}

// patient waits for a server of this machine as long as it takes; the real limit is tried where time is not real.
var patient = outbound.Options{Limit: 2 * time.Minute}

// newRoom serves a stand-in; allowed is the allowed project.
func newRoom(t *testing.T, allowed string) room {
	t.Helper()
	server := newServer()
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	return room{t, server, listening, newClient(t, listening.URL, allowed, patient)}
}

func newClient(t *testing.T, address, allowed string, o outbound.Options) *manager.Client {
	t.Helper()
	client, err := manager.New(manager.Settings{SiteURL: address, ClientID: "id-1", ClientSecret: secrets.NewValue(clientSecret), AllowedProject: allowed}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func ref(variable, reference string) secrets.Ref {
	return secrets.Ref{Variable: variable, Provider: secrets.Manager, Reference: reference}
}

func TestContract(t *testing.T) {
	for name, furnish := range map[string]func(*managerstand.Server){
		"as servers are today": func(*managerstand.Server) {},
		"as servers were":      func(s *managerstand.Server) { s.Old() },
		"a server with pages":  func(s *managerstand.Server) { s.PageSize = 7 },
		"the root folder":      func(*managerstand.Server) {},
	} {
		folder := "shop/db"
		if name == "the root folder" {
			folder = ""
		}
		t.Run(name, func(t *testing.T) {
			coretest.SecretProvider(t, func(t *testing.T) coretest.SecretShelf {
				r := newRoom(t, "")
				furnish(r.server)
				r.server.Put("p1", "prod", folder, managerstand.Secret{Name: "FIRST", Value: "canary-first"})
				return coretest.SecretShelf{
					Provider: r.client,
					Put: func(_ *testing.T, name, value string) string {
						r.server.Put("p1", "prod", folder, managerstand.Secret{Name: name, Value: value})
						return "p1/prod/" + folder + "#" + name
					},
					Missing: func(*testing.T) string { return "p1/prod/" + folder + "#NONE" },
					Break:   func(*testing.T) { r.http.Close() },
				}
			})
		})
	}
}
