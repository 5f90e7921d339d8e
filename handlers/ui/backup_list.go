package ui

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"time"

	"berth/core"
	"berth/core/backups"
	"berth/core/fault"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

type backupListPage struct {
	Trouble   string
	Elsewhere string        // why there are none here; empty: there may be
	Database  databaseFacts // where they are elsewhere
	Limit     string        // of an archive that is uploaded
	Lines     []backupLine
	Offsite   offsiteFacts
	Rehearsal rehearsalFacts
}

// rehearsalFacts is how the last rehearsal ended.
type rehearsalFacts struct {
	Held          moment
	Href, Problem string // Href is empty once the backup that was tried is gone
	Took          string
}

func rehearsalOf(r backups.Rehearsal, now core.Clock) rehearsalFacts {
	return rehearsalFacts{Held: at(r.At, now()), Href: backupHref(r.Name), Problem: r.Problem, Took: r.Took.Round(100 * time.Millisecond).String()}
}

// offsiteFacts is how it is with copies off site.
type offsiteFacts struct {
	On, Waits     bool
	Text, Problem string
	Newest, Since moment
}

func offsiteOf(s backups.Standing, now core.Clock) offsiteFacts {
	f := offsiteFacts{On: s.On, Problem: s.Problem, Newest: at(s.Newest, now()), Since: at(s.Since, now()), Waits: s.Waiting > 0 && s.Problem == ""}
	f.Text = fmt.Sprintf("%d copies, %s.", s.Copies, sizeOf(s.Size))
	if s.Copies == 1 {
		f.Text = "1 copy, " + sizeOf(s.Size) + "."
	}
	return f
}

// whereIs are the words for where a backup is.
func whereIs(b backups.Backup) string {
	switch {
	case b.Here && b.Away:
		return "here and off site"
	case b.Away:
		return "off site"
	}
	return "here"
}

type backupLine struct {
	Name, Href, Why, Size, Version, Where string
	Here, Away, Checked                   bool
	Made                                  moment
	Problem                               string
}

var backupListView = newView[backupListPage]("backup_list.html")

// whyBackup are the words for why backups were made.
var whyBackup = map[backups.Reason]string{
	backups.ByHand: "by hand", backups.BySchedule: "by schedule", backups.BeforeRestore: "before a restore",
	backups.BeforeUpgrade: "before an upgrade", backups.Uploaded: "uploaded",
}

func backupHref(name string) string { return "/backups/" + name }

func lineOfBackup(b backups.Backup, now core.Clock) backupLine {
	return backupLine{Name: b.Name, Href: backupHref(b.Name), Why: whyBackup[b.Head.Reason], Size: sizeOf(b.Size), Version: b.Head.Version, Where: whereIs(b), Here: b.Here, Away: b.Away, Checked: b.Checked, Made: at(b.Head.MadeAt, now()), Problem: b.Problem}
}

// Backups lists backups, with the forms that make one and bring one.
func Backups(desk api.BackupDesk, limit int64, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeBackups(w, r, http.StatusOK, desk, limit, "", now)
	})
}

// CreateBackup makes a backup now.
func CreateBackup(desk api.BackupDesk, limit int64, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		b, err := desk.Make(r.Context(), endpoint.Principal(r.Context()))
		return afterBackup(w, r, b, err, "backup-made", desk, limit, now)
	})
}

// RehearseBackup restores the newest backup into a folder that is thrown away, and shows what came of it.
func RehearseBackup(desk api.BackupDesk, limit int64, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		_, err := desk.Rehearse(r.Context(), endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, "/backups#rehearse-h")
		}
		return afterBackup(w, r, backups.Backup{}, err, "", desk, limit, now)
	})
}

// UploadBackup stores an archive that a browser brings.
func UploadBackup(desk api.BackupDesk, limit int64, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		archive, err := uploaded(r)
		if err != nil {
			return afterBackup(w, r, backups.Backup{}, err, "", desk, limit, now)
		}
		b, err := desk.Take(r.Context(), archive, endpoint.Principal(r.Context()))
		return afterBackup(w, r, b, err, "backup-uploaded", desk, limit, now)
	})
}

// uploaded is the file that a form brings.
func uploaded(r *http.Request) (io.Reader, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, fault.New(fault.Unsupported, "request.media_type", "The form was sent in a form that this page does not read. Use the page in a browser.").Because(err)
	}
	var part *multipart.Part
	for err == nil && (part == nil || part.FormName() != "archive") {
		part, err = parts.NextPart()
	}
	if errors.Is(err, io.EOF) || err == nil && part.FileName() == "" {
		return nil, fault.BadFields("backup.no_file", []fault.Field{{Path: "archive", Problem: "choose the archive of a backup first"}})
	}
	if err != nil {
		return nil, fault.New(fault.Malformed, "request.unreadable", "The form could not be read. Go back and try again.").Because(err)
	}
	return part, nil
}

// afterBackup shows the backup that came of a form, or the list with what went wrong.
func afterBackup(w http.ResponseWriter, r *http.Request, b backups.Backup, err error, said string, desk api.BackupDesk, limit int64, now core.Clock) error {
	if err == nil {
		return seeOther(w, r, saying(backupHref(b.Name), said))
	}
	if c, ours := complain(r, err); ours {
		c.when(w)
		return writeBackups(w, r, c.Status, desk, limit, c.general(), now)
	}
	return err
}

func writeBackups(w http.ResponseWriter, r *http.Request, status int, desk api.BackupDesk, limit int64, trouble string, now core.Clock) error {
	page := backupListPage{Trouble: trouble, Limit: sizeOf(limit)}
	all, err := desk.Backups(r.Context())
	switch {
	case fault.CodeOf(err) == "backup.elsewhere":
		page.Elsewhere, page.Trouble = fault.PublicOf(err), ""
	case err != nil:
		return err
	}
	if page.Elsewhere != "" {
		d, err := desk.Database(r.Context())
		if err != nil {
			return err
		}
		page.Database = factsOfDatabase(d, now)
	} else {
		standing, err := desk.Standing(r.Context())
		if err != nil {
			return err
		}
		page.Offsite, page.Rehearsal = offsiteOf(standing, now), rehearsalOf(standing.Tried, now)
	}
	if !slices.ContainsFunc(all, func(b backups.Backup) bool { return backupHref(b.Name) == page.Rehearsal.Href }) {
		page.Rehearsal.Href = ""
	}
	for _, b := range all {
		page.Lines = append(page.Lines, lineOfBackup(b, now))
	}
	f := newFrame(r, inBackups, "Backups")
	f.Problem = status != http.StatusOK
	return backupListView.write(w, r, status, f, page)
}

// sizeOf shows a number of bytes to three digits or so.
func sizeOf(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	size, unit := float64(bytes), 0
	for size >= 1000 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	return strconv.FormatFloat(size, 'g', 3, 64) + " " + units[unit]
}
