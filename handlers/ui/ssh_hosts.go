package ui

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// SSHHostKeeper scans SSH hosts and keeps the keys that were accepted; see repositories.Desk.
type SSHHostKeeper interface {
	ScanHost(ctx context.Context, host string, port int) (repositories.ScannedHost, error)
	Hosts(ctx context.Context, p core.Page) (core.List[repositories.SSHHost], error)
	AcceptHost(ctx context.Context, host string, port int, keys []repositories.HostKey, by access.Principal) (repositories.SSHHost, error)
	ForgetHost(ctx context.Context, address string, by access.Principal) error
}

type sshHostsPage struct {
	Trouble    string
	Lines      []sshHostLine
	Host, Port input
	Scan       scanShown
	More       string
}

type sshHostLine struct {
	Address  string
	Value    exact // Address, as it is sent back
	Keys     []hostKeyLine
	Accepted moment
	By       string
}

type hostKeyLine struct {
	Type, Fingerprint string
	Value             exact // type and key, as they are sent back
	Known             bool  // it was accepted before
}

// scanShown is what a scan found.
type scanShown struct {
	Done       bool
	Address    string
	Host, Port exact
	Keys       []hostKeyLine
	Same       bool          // each of them was accepted
	Before     []hostKeyLine // what was accepted and is not shown any more
}

var sshHostsView = newView[sshHostsPage]("ssh_hosts.html")

// SSHHosts lists SSH hosts with the keys by which they are known.
func SSHHosts(keeper SSHHostKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeHosts(w, r, http.StatusOK, keeper, newHostsPage(r.URL.Query().Get("host"), r.URL.Query().Get("port")), now)
	})
}

// ScanSSHHost asks a host for its keys and shows them beside those that were accepted.
func ScanSSHHost(keeper SSHHostKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		page := newHostsPage(form.Get("host"), form.Get("port"))
		found, err := keeper.ScanHost(r.Context(), form.Get("host"), portOf(form.Get("port")))
		if err != nil {
			return refuseHost(w, r, keeper, page, err, now)
		}
		page.Scan = scanShown{Done: true, Address: found.Address, Host: exact(strings.TrimSpace(form.Get("host"))), Port: page.Port.Value, Same: found.Same()}
		for _, k := range found.Keys {
			page.Scan.Keys = append(page.Scan.Keys, hostKeyOf(k, found.Accepted.Known(k)))
		}
		for _, k := range found.Accepted.Keys {
			if !(repositories.SSHHost{Keys: found.Keys}).Known(k) {
				page.Scan.Before = append(page.Scan.Before, hostKeyOf(k, true))
			}
		}
		return writeHosts(w, r, http.StatusOK, keeper, page, now)
	})
}

// AcceptSSHHost stores the keys that a scan showed.
func AcceptSSHHost(keeper SSHHostKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		var keys []repositories.HostKey
		for _, text := range form["key"] {
			kind, key, _ := strings.Cut(text, " ")
			keys = append(keys, repositories.HostKey{Type: kind, Key: key})
		}
		_, err = keeper.AcceptHost(r.Context(), form.Get("host"), portOf(form.Get("port")), keys, endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying("/repository-keys/hosts", "ssh-host-accepted"))
		}
		return refuseHost(w, r, keeper, newHostsPage(form.Get("host"), form.Get("port")), err, now)
	})
}

// ForgetSSHHost removes what a host is known by.
func ForgetSSHHost(keeper SSHHostKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		if err = keeper.ForgetHost(r.Context(), form.Get("address"), endpoint.Principal(r.Context())); err == nil {
			return seeOther(w, r, saying("/repository-keys/hosts", "ssh-host-forgotten"))
		}
		return refuseHost(w, r, keeper, newHostsPage("", ""), err, now)
	})
}

// portOf reads a port; empty is SSH's own, and what is no number is none.
func portOf(text string) int {
	if text = strings.TrimSpace(text); text == "" {
		return 22
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return port
}

func hostKeyOf(k repositories.HostKey, known bool) hostKeyLine {
	return hostKeyLine{Type: k.Type, Fingerprint: k.Fingerprint(), Value: exact(k.Line()), Known: known}
}

func newHostsPage(host, port string) sshHostsPage {
	if port == "" {
		port = "22"
	}
	return sshHostsPage{
		Host: input{Name: "host", Label: "SSH host", Kind: "text", Complete: "off", Mono: true, Value: exact(host), Sample: "git.example.com"},
		Port: input{Name: "port", Label: "Port", Kind: "text", Complete: "off", Value: exact(port)},
	}
}

func refuseHost(w http.ResponseWriter, r *http.Request, keeper SSHHostKeeper, page sshHostsPage, err error, now core.Clock) error {
	c, ours := complain(r, err)
	if !ours {
		return err
	}
	page.Trouble = c.on(&page.Host, &page.Port)
	if fault.CodeOf(err) == "hub.away" {
		c.when(w)
	}
	return writeHosts(w, r, c.Status, keeper, page, now)
}

func writeHosts(w http.ResponseWriter, r *http.Request, status int, keeper SSHHostKeeper, page sshHostsPage, now core.Clock) error {
	ask, err := partOf(r)
	if err != nil {
		return err
	}
	list, err := keeper.Hosts(r.Context(), ask)
	if err != nil {
		return err
	}
	page.More = following(r.URL, list.Next)
	for _, h := range list.Items {
		line := sshHostLine{Address: h.Address, Value: exact(h.Address), Accepted: at(h.AcceptedAt, now()), By: h.AcceptedBy}
		for _, k := range h.Keys {
			line.Keys = append(line.Keys, hostKeyOf(k, true))
		}
		page.Lines = append(page.Lines, line)
	}
	f := newFrame(r, inRepositories, "SSH hosts", crumb{"Repositories", "/repositories"}, crumb{"Repository keys", "/repository-keys"})
	f.Problem = status != http.StatusOK
	return sshHostsView.write(w, r, status, f, page)
}
