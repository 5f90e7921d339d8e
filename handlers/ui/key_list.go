package ui

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"berth/core"
	"berth/core/access"
	"berth/core/keys"
	"berth/handlers/endpoint"
)

// KeyDesk tells of the keys, and changes them; see keys.Desk.
type KeyDesk interface {
	Status(ctx context.Context) (keys.Status, error)
	Rotate(ctx context.Context, who access.Principal) (keys.Status, error)
}

type keysPage struct {
	CheckValue string
	Keys       []dataKeyLine // newest first
	Going      bool          // values are being sealed anew
	Looked     moment        // when the last look ended; none yet: empty
	Progress   string
	Lost       string // how many values no key opens; empty: none
	Damaged    []string
	Trouble    string
}

type dataKeyLine struct {
	Number string
	Badge  badge
	Made   moment
}

var keysView = newView[keysPage]("key_list.html")

// Keys shows how it is with the keys.
func Keys(desk KeyDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeDataKeys(w, r, http.StatusOK, desk, now, "")
	})
}

// RotateKeys changes the data key.
func RotateKeys(desk KeyDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		_, err := desk.Rotate(r.Context(), endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying("/keys", "key-added"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		return writeDataKeys(w, r, c.Status, desk, now, c.on())
	})
}

func writeDataKeys(w http.ResponseWriter, r *http.Request, status int, desk KeyDesk, now core.Clock, trouble string) error {
	s, err := desk.Status(r.Context())
	if err != nil {
		return err
	}
	page := newKeysPage(s, now)
	page.Trouble = trouble
	f := newFrame(r, inKeys, "Keys")
	f.Problem = status != http.StatusOK
	return keysView.write(w, r, status, f.following(page.Going), page)
}

func newKeysPage(s keys.Status, now core.Clock) keysPage {
	page := keysPage{CheckValue: s.CheckValue, Going: !s.Complete(), Damaged: s.Pass.Damaged}
	for i := len(s.Keys) - 1; i >= 0; i-- {
		line := dataKeyLine{Number: fmt.Sprint(s.Keys[i].Number), Badge: badge{"idle", "circle", "Opens older values"}, Made: at(s.Keys[i].CreatedAt, now())}
		if s.Keys[i].Active {
			line.Badge = badge{"ok", "check", "In use"}
		}
		page.Keys = append(page.Keys, line)
	}
	p := s.Pass
	if p.BeganAt.IsZero() {
		return page
	}
	page.Progress = fmt.Sprintf("%s looked at, %d of them sealed anew with data key %d.", valuesIn(p.Values), p.Renewed, p.Key)
	if !p.EndedAt.IsZero() {
		page.Looked = at(p.EndedAt, now())
	}
	if p.Lost > 0 {
		page.Lost = valuesIn(p.Lost)
	}
	return page
}

// valuesIn is a number of values in words.
func valuesIn(n int) string {
	if n == 1 {
		return "1 value"
	}
	return strconv.Itoa(n) + " values"
}
