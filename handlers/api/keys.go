package api

import (
	"context"
	"net/http"
	"time"

	"berth/core/access"
	"berth/core/keys"
	"berth/handlers/endpoint"
)

// KeyDesk tells of the keys, and changes them; *keys.Desk does.
type KeyDesk interface {
	Status(ctx context.Context) (keys.Status, error)
	// Rotate adds a data key. Conflict "key.rotating", "key.changing", "key.ring_changed".
	Rotate(ctx context.Context, who access.Principal) (keys.Status, error)
}

// KeysAnswer is how it is with the keys.
type KeysAnswer struct {
	CheckValue string          `json:"check_value"` // of SECRET_KEY: 6 hexadecimal digits that tell two keys apart
	Keys       []DataKeyAnswer `json:"keys"`
	Complete   bool            `json:"complete"` // everything that can be opened is sealed with the active key
	Pass       *KeyPassAnswer  `json:"pass"`     // the last look at everything that is sealed; null while there was one data key only
}

// DataKeyAnswer is a data key, which is shown to nobody.
type DataKeyAnswer struct {
	Number    uint32    `json:"number"` // from 1
	Active    bool      `json:"active"` // what is sealed now is sealed with it
	CreatedAt time.Time `json:"created_at"`
}

// KeyPassAnswer is a look at everything that is sealed.
type KeyPassAnswer struct {
	Key       uint32     `json:"key"` // with which values are sealed anew
	BeganAt   time.Time  `json:"began_at"`
	EndedAt   *time.Time `json:"ended_at"`   // null while it goes on
	Values    int        `json:"values"`     // looked at
	Renewed   int        `json:"renewed"`    // sealed anew
	Damaged   int        `json:"damaged"`    // that no key opens
	DamagedIn []string   `json:"damaged_in"` // the first 20 of them: table.column of a row
}

func showKeys(s keys.Status) KeysAnswer {
	answer := KeysAnswer{CheckValue: s.CheckValue, Keys: []DataKeyAnswer{}, Complete: s.Complete()}
	for _, k := range s.Keys {
		answer.Keys = append(answer.Keys, DataKeyAnswer(k))
	}
	if p := s.Pass; !p.BeganAt.IsZero() {
		answer.Pass = &KeyPassAnswer{Key: p.Key, BeganAt: p.BeganAt, Values: p.Values, Renewed: p.Renewed, Damaged: p.Lost, DamagedIn: append([]string{}, p.Damaged...)}
		if !p.EndedAt.IsZero() {
			answer.Pass.EndedAt = &p.EndedAt
		}
	}
	return answer
}

// GetKeys answers with how it is with the keys.
func GetKeys(desk KeyDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := desk.Status(r.Context())
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showKeys(s))
	})
}

// RotateKeys changes the data key.
func RotateKeys(desk KeyDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := desk.Rotate(r.Context(), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusAccepted, showKeys(s))
	})
}
