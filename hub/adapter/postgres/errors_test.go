package postgres

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"berth/core/fault"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestAServerThatStartsIsAway, also when it does not encrypt: the driver tries with TLS first, and tells
// of both tries.
func TestAServerThatStartsIsAway(t *testing.T) {
	t.Setenv("PGSSLMODE", "")
	for state, want := range map[string]string{
		"57P01": "store.away", "57P02": "store.away", "57P03": "store.away", "08006": "store.away", "53300": "store.away",
		"28P01": "store.unsuitable",
	} {
		address := answering(t, state)
		_, err := Open(t.Context(), "postgres://berth:s3cr3t@"+address+"/b", Function())
		if fault.CodeOf(err) != want || !strings.Contains(fmt.Sprint(err), "database b at "+address) {
			t.Errorf("%s: %v, want %s", state, err, want)
		}
	}
}

// answering is the address of a server that refuses TLS and ends every connection with an error.
func answering(t *testing.T, state string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			refuse(conn, state)
		}
	}()
	return l.Addr().String()
}

// refuse answers a connection until the other side closes it.
func refuse(conn net.Conn, state string) {
	defer conn.Close()
	server := pgproto3.NewBackend(conn, conn)
	for {
		asked, err := server.ReceiveStartupMessage()
		if err != nil {
			return
		}
		if _, ok := asked.(*pgproto3.SSLRequest); ok {
			if _, err := io.WriteString(conn, "N"); err != nil {
				return
			}
			continue
		}
		server.Send(&pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: state, Message: "no"})
		if err := server.Flush(); err != nil {
			return
		}
	}
}
