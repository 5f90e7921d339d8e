package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

// AuditFormat is what the audit is exported as.
type AuditFormat string

// The formats.
const (
	AuditCSV   AuditFormat = "csv"
	AuditJSONL AuditFormat = "jsonl" // an object on each line
)

// AuditFormats lists all formats.
var AuditFormats = []AuditFormat{AuditCSV, AuditJSONL}

// ExportAuditEvents answers with all that a filter leaves, newest first. Where the host sends answers whole, TooLarge
// "audit.too_much" asks for less of it.
func ExportAuditEvents(lister AuditLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		filter, err := auditFilter(r.URL.Query())
		if err != nil {
			return err
		}
		format := cmp.Or(AuditFormat(r.URL.Query().Get("format")), AuditCSV)
		first, err := lister.AuditEvents(r.Context(), filter, core.Page{Limit: core.MaxPage})
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", map[AuditFormat]string{AuditCSV: "text/csv; charset=utf-8; header=present", AuditJSONL: "application/jsonl; charset=utf-8"}[format])
		w.Header().Set("Content-Disposition", `attachment; filename="berth-audit.`+string(format)+`"`)
		room, whole := endpoint.Room(r.Context())
		if !whole {
			exportAudit(r.Context(), w, lister, filter, format, first) // what cannot be read any more ends the answer before its end
			return nil
		}
		kept := &roomy{room: room}
		if err := exportAudit(r.Context(), kept, lister, filter, format, first); err != nil {
			w.Header().Del("Content-Disposition")
			return err
		}
		w.Write(kept.Bytes()) // a client that has gone needs no answer
		return nil
	})
}

// exportAudit writes all pages, of which the first was read.
func exportAudit(ctx context.Context, w io.Writer, lister AuditLister, f access.AuditFilter, format AuditFormat, list core.List[access.AuditRecord]) error {
	write := jsonLines(w)
	if format == AuditCSV {
		write = csvLines(w)
	}
	for {
		if err := write(list.Items); err != nil || list.Next == "" {
			return err
		}
		next, err := lister.AuditEvents(ctx, f, core.Page{After: list.Next, Limit: core.MaxPage})
		if err != nil {
			return err
		}
		list = next
	}
}

func jsonLines(w io.Writer) func([]access.AuditRecord) error {
	encoder := json.NewEncoder(w)
	return func(some []access.AuditRecord) error {
		for _, e := range some {
			if err := encoder.Encode(showAuditEvent(e)); err != nil {
				return err
			}
		}
		return nil
	}
}

func csvLines(w io.Writer) func([]access.AuditRecord) error {
	rows, begun := csv.NewWriter(w), false
	return func(some []access.AuditRecord) error {
		if !begun {
			rows.Write([]string{"id", "at", "actor_kind", "actor_id", "actor", "address", "action", "resource", "detail", "result", "key_id"}) // Flush tells what went wrong
			begun = true
		}
		for _, e := range some {
			rows.Write([]string{string(e.ID), e.At.Format(time.RFC3339Nano), string(e.Actor.Kind), cell(e.Actor.ID), cell(e.Actor.Name), cell(e.Actor.Address),
				cell(e.Action), cell(e.Resource), cell(e.Detail), string(e.Result), cell(e.Actor.Key)})
		}
		rows.Flush()
		return rows.Error()
	}
}

// cell keeps a spreadsheet from taking a text for a formula, as OWASP's page on CSV injection advises.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

// roomy keeps an answer of a host that sends it whole.
type roomy struct {
	bytes.Buffer
	room int
}

// Write implements io.Writer. TooLarge "audit.too_much".
func (b *roomy) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.room {
		return 0, fault.New(fault.TooLarge, "audit.too_much", "There is more of it than this host can answer with, which is %d bytes. Ask for less with from and to, one month at a time perhaps.", b.room)
	}
	return b.Buffer.Write(p)
}
