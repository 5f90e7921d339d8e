package postgres

import (
	"encoding/pem"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"berth/core/fault"

	"github.com/jackc/pgx/v5"
)

// Limits of a connection's life that the address may not stretch.
const (
	connectTime = 10 * time.Second
	silence     = 20 * time.Second // what was sent and is not confirmed by the other side ends the connection
)

// parse reads DATABASE_URL. Its errors name what is wrong with it and never repeat it: it holds a password.
func parse(address string, o Options) (*pgx.ConnConfig, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, badAddress("it is not of the form postgres://user:password@host:5432/database")
	}
	query := u.Query()
	if err := decideTLS(u, query); err != nil {
		return nil, err
	}
	if err := checkFiles(query); err != nil {
		return nil, err
	}
	u.RawQuery = query.Encode()
	cfg, err := pgx.ParseConfig(u.String())
	if err != nil {
		return nil, badAddress("a part of it cannot be used; check host, port and what follows the question mark, above all sslmode and the certificate files that it names")
	}
	if cfg.ConnectTimeout <= 0 || cfg.ConnectTimeout > connectTime {
		cfg.ConnectTimeout = connectTime
	}
	// Parameters go with each statement and nothing is prepared: a pooler may hand the next one to
	// another connection.
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	cfg.StatementCacheCapacity, cfg.DescriptionCacheCapacity = 0, 0
	cfg.RuntimeParams["client_encoding"] = "UTF8"
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = o.Name
	}
	cfg.DialFunc = (&net.Dialer{Control: giveUp, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}}).DialContext
	return cfg, nil
}

func badAddress(problem string) error {
	return fault.New(fault.Unavailable, "store.address", "DATABASE_URL cannot be used: %s.", problem)
}

// checkFiles says which of the files that an address names cannot be used.
func checkFiles(query url.Values) error {
	for _, name := range []string{"sslrootcert", "sslcert", "sslkey"} {
		file := query.Get(name)
		if file == "" || file == "system" && name == "sslrootcert" {
			continue
		}
		content, err := os.ReadFile(file)
		block, _ := pem.Decode(content)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return badAddress("the file that " + name + " names does not exist here. Put it there, or correct the path; it must be a full one, as this program sees it")
		case errors.Is(err, fs.ErrPermission):
			return badAddress("this user may not read the file that " + name + " names")
		case err != nil:
			return badAddress("the file that " + name + " names cannot be read")
		case block == nil:
			return badAddress("the file that " + name + " names holds nothing in PEM form, which begins with -----BEGIN")
		}
	}
	return nil
}

// decideTLS refuses an address whose connection could be read by others without somebody having
// said so. To this machine none is needed; to another one the server must prove who it is, unless
// the address says otherwise.
func decideTLS(u *url.URL, query url.Values) error {
	switch mode := query.Get("sslmode"); {
	case allLocal(u, query):
		return nil
	case mode == "":
		query.Set("sslmode", "verify-full")
	case mode == "allow" || mode == "prefer":
		return badAddress("sslmode=" + mode + " may send what is stored unencrypted to another machine. " +
			"Use sslmode=verify-full, with sslrootcert=FILE when the server's certificate is signed by an authority of your own, or sslmode=require to encrypt without checking who answers; " +
			"sslmode=disable says that the network between is safe")
	}
	return nil
}

// allLocal reports whether every host of the address is this machine.
func allLocal(u *url.URL, query url.Values) bool {
	hosts := u.Host
	if h := query.Get("host"); h != "" {
		hosts = h
	}
	if hosts == "" {
		hosts = os.Getenv("PGHOST") // what the driver takes then, or a socket
	}
	if hosts == "" {
		return true
	}
	for host := range strings.SplitSeq(hosts, ",") {
		if !local(host) {
			return false
		}
	}
	return true
}

func local(host string) bool {
	if strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") {
		return true // a socket
	}
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// tcpUserTimeout is TCP_USER_TIMEOUT of Linux, in milliseconds: without it a connection into a
// network that drops everything is believed in for a quarter of an hour.
const tcpUserTimeout = 0x12

func giveUp(network, _ string, raw syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var set error
	err := raw.Control(func(fd uintptr) {
		set = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(silence.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return set
}
