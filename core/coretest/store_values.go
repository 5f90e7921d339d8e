package coretest

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/repositories"
	"berth/core/seal"
)

var valueCases = map[string]func(storeBench){
	"text keeps every byte":                     textIsKept,
	"bytes are kept":                            bytesAreKept,
	"text is ordered by its bytes":              textOrder,
	"whole numbers of 64 bits are kept":         numbersAreKept,
	"times are kept to the microsecond, in UTC": timesAreKept,
	"a question mark in a text is text":         questionMarks,
	"a duplicate is told from other refusals":   duplicates,
}

func textIsKept(b storeBench) {
	for _, text := range []string{"", " ", "a'b\"c`d\\e", "line\nend\r\n\ttab", "ä€😀\u0301", "%_?$1:a@b", "{\"a\":[1]}", strings.Repeat("long ", 200_000)} {
		b.exec(`DELETE FROM settings`)
		b.write(b.soon(), "a", text)
		if got := b.read(`SELECT value FROM settings`); len(got) != 1 || got[0] != text {
			b.Errorf("%.40q came back as %.40q", text, got)
		}
	}
}

func bytesAreKept(b storeBench) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	s := b.store()
	rows := []seal.WrappedKey{{Number: 1, Wrapped: all}, {Number: math.MaxUint32, Wrapped: []byte{0}, Active: true}}
	b.must(s.AddKeyRing(b.soon(), rows, all))
	got, err := s.KeyRing(b.soon())
	if err != nil || len(got) != 2 || !bytes.Equal(got[0].Wrapped, all) || got[0].Active || got[1].Number != math.MaxUint32 || !got[1].Active {
		b.Errorf("%+v, %v", got, err)
	}
	if check, err := s.KeyCheck(b.soon()); err != nil || !bytes.Equal(check, all) {
		b.Errorf("%x, %v", check, err)
	}
}

// textOrder holds because the cursors of lists compare with > what ORDER BY has ordered.
func textOrder(b storeBench) {
	want := []string{"A", "B", "a", "a b", "a-b", "a.b", "a_b", "ab", "b", "ä"}
	slices.Sort(want)
	for _, name := range slices.Backward(want) {
		b.write(b.soon(), name, "")
	}
	b.holds(want...)
	for i, name := range want {
		if rest := b.read(`SELECT name FROM settings WHERE name > ? ORDER BY name`, name); !slices.Equal(rest, want[i+1:]) {
			b.Errorf("after %q come %q", name, rest)
		}
	}
}

func numbersAreKept(b storeBench) {
	for _, n := range []int64{0, 1, -1, math.MaxInt32 + 1, math.MaxInt64, math.MinInt64} {
		b.exec(`DELETE FROM schema_steps WHERE number > 1000`)
		b.exec(`INSERT INTO schema_steps (number, name, checksum, applied_at) VALUES (1001, '', '', ?)`, n)
		if got := b.read(`SELECT applied_at FROM schema_steps WHERE number = 1001`); got[0] != strconv.FormatInt(n, 10) {
			b.Errorf("%d came back as %s", n, got)
		}
	}
}

func timesAreKept(b storeBench) {
	s := b.store()
	at := time.Date(2031, 12, 31, 23, 59, 59, 999_999_999, time.FixedZone("far", 13*3600))
	r := repositories.Repository{ID: core.RepositoryID(core.NewID(core.PrefixRepository, at)), Name: "demo", URL: "https://git.example/demo", CreatedAt: at}
	got, err := s.AddRepository(b.soon(), r, access.System.Audit("repository.create", string(r.ID), ""))
	want := at.UTC().Truncate(time.Microsecond)
	if err != nil || got.CreatedAt != want || !got.FetchedAt.IsZero() || !got.UpdatedAt.IsZero() {
		b.Errorf("%s came back as %s; never as %s; %v", want, got.CreatedAt, got.FetchedAt, err)
	}
}

func questionMarks(b storeBench) {
	b.write(b.soon(), "a", "why?")
	if got := b.read(`SELECT value || ' is ? "?" it' FROM settings WHERE value = 'why?' AND name = ?`, "a"); len(got) != 1 || got[0] != `why? is ? "?" it` {
		b.Errorf("got %q", got)
	}
}

func duplicates(b storeBench) {
	s := b.store()
	account := identity.ServiceAccount{ID: "sva_1", Name: "a", Role: access.RoleViewer}
	b.must(s.AddServiceAccount(b.soon(), access.System, account))
	before := b.read(`SELECT id FROM audit_events`)
	for what, again := range map[string]identity.ServiceAccount{
		"a unique column": {ID: "sva_2", Name: "a", Role: access.RoleViewer},
		"the primary key": {ID: "sva_1", Name: "b", Role: access.RoleViewer},
	} {
		if err := s.AddServiceAccount(b.soon(), access.System, again); fault.CodeOf(err) != "service_account.name_taken" {
			b.Errorf("%s: %v", what, err)
		}
	}
	if after := b.read(`SELECT id FROM audit_events`); !slices.Equal(before, after) {
		b.Error("a refused duplicate left an audit event")
	}
	if err := s.AddSealedSetting(b.soon(), "a", "", nil); err == nil || fault.KindOf(err) != fault.Internal {
		b.Errorf("a missing value: %v, want a plain error", err)
	}
	b.works()
}
