package postgres

import (
	"crypto/x509"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"berth/core/fault"

	"github.com/jackc/pgx/v5/pgconn"
)

// coded matches errors of the server by their SQLSTATE.
func coded(codes ...string) func(error) bool {
	return func(err error) bool { return slices.Contains(codes, stateOf(err)) }
}

// stateOf is the SQLSTATE of an error of the server; "" for any other.
func stateOf(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// refused reports whether the server answered and stays connected: what was asked did not happen.
func refused(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.SeverityUnlocalized == "ERROR"
}

// meaning says what an error of the server or of the connection to it means; nil for one that is
// a defect of Berth.
func meaning(where string, err error) *fault.Error {
	var lost *unconfirmed
	if errors.As(err, &lost) {
		return fault.New(fault.Unavailable, "store.unconfirmed",
			"The connection to %s broke while a change was being stored, so it is not known whether it was. Look before you repeat it.", where)
	}
	var far *unreachable
	if errors.As(err, &far) {
		return unreached(where, far.err)
	}
	switch state := stateOf(err); {
	case state == "53100":
		return fault.New(fault.Unavailable, "store.disk_full", "The disk below %s is full, so nothing can be stored. Free some space there; nothing was changed.", where)
	case state == "55P03" || state == "57014":
		return fault.New(fault.Unavailable, "store.busy", "%s took too long, so nothing was changed. Try again.", upper(where))
	case state == "42501":
		return fault.New(fault.Unavailable, "store.unsuitable", "The user of DATABASE_URL may not do what is needed in %s. Make that user the database's owner.", where)
	case strings.HasPrefix(state, "XX") || strings.HasPrefix(state, "58"):
		return fault.New(fault.Unavailable, "store.broken", "%s cannot read or write what it holds. The server's log names the cause.", upper(where))
	case gone(state, err):
		return away(where)
	}
	return nil
}

// gone reports whether the connection has ended: the server said so, or nobody answers.
func gone(state string, err error) bool {
	if state != "" {
		return strings.HasPrefix(state, "08") || strings.HasPrefix(state, "57P") || state == "53300" || state == "25P03"
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, driver.ErrBadConn) || pgconn.SafeToRetry(err)
}

// unreached says why there is no connection. What somebody must put right is "store.unsuitable"; what
// may be right the next time is "store.away".
func unreached(where string, err error) *fault.Error {
	unsuitable := func(text string) *fault.Error {
		return fault.New(fault.Unavailable, "store.unsuitable", "%s %s", upper(where), text)
	}
	var name *net.DNSError
	var otherHost x509.HostnameError
	switch state := stateOf(err); {
	case state == "28P01":
		return unsuitable("refused the user or the password of DATABASE_URL. Check both; special characters of a password are percent-encoded there, such as / as %2F and @ as %40.")
	case strings.HasPrefix(state, "28"):
		return unsuitable("does not let the user of DATABASE_URL in from this machine, or not this way: its pg_hba.conf decides by user, database, address and encryption. Check the user's name and sslmode, or add a line there.")
	case state == "3D000":
		return unsuitable("does not exist. Make it with CREATE DATABASE, or correct the name at the end of DATABASE_URL.")
	case state == "42501":
		return unsuitable("may not be connected to by the user of DATABASE_URL. Make that user the database's owner.")
	case strings.HasPrefix(state, "42") || strings.HasPrefix(state, "22"):
		return unsuitable("does not know, or does not accept, a setting that DATABASE_URL names after its question mark. Correct or remove it.")
	case state == "53300":
		return fault.New(fault.Unavailable, "store.away", "%s has no free connection. Raise max_connections there, or put a pooler such as PgBouncer between.", upper(where))
	case state != "": // it starts or stops, say; the try with TLS before it, which the driver makes by itself, is joined to err
		return away(where)
	case errors.As(err, &name):
		return fault.New(fault.Unavailable, "store.away", "%s cannot be reached: this machine does not find a host of that name. Correct the name in DATABASE_URL, or what resolves names here.", upper(where))
	case errors.As(err, &otherHost):
		return unsuitable("shows a certificate that is made out to another name than the one in DATABASE_URL. Use the name that is in it there; sslmode=verify-ca does without this check.")
	case strings.Contains(err.Error(), "x509:"):
		return unsuitable("shows a certificate that cannot be trusted. Add sslrootcert=FILE with the authority's certificate to DATABASE_URL; sslmode=require encrypts without this check.")
	case strings.Contains(err.Error(), "refused TLS"):
		return unsuitable("does not encrypt connections, and DATABASE_URL asks for that, as it does by itself for another machine. Switch TLS on there; sslmode=disable in DATABASE_URL says that the network between is safe.")
	}
	return away(where)
}

func away(where string) *fault.Error {
	return fault.New(fault.Unavailable, "store.away", "%s cannot be reached. Check that the server runs and that this machine may connect to it.", upper(where))
}

// upper begins a sentence.
func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
