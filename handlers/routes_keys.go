package handlers

import (
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/guard"
	"berth/handlers/ui"
)

// KeysDeps is what the keys need.
type KeysDeps struct {
	Desk api.KeyDesk // *keys.Desk
	Now  core.Clock
}

func keyRoutes(k KeysDeps) []Route {
	row := func(method, pattern string, handler http.Handler, op Operation) Route {
		op.Tag, op.Response = "keys", api.KeysAnswer{}
		return Route{Method: method, Pattern: pattern, Capability: access.Administer, Surface: guard.API, Handler: handler, Operation: op}
	}
	return []Route{
		row(http.MethodGet, "/api/custom/keys", api.GetKeys(k.Desk), Operation{Summary: "Read how it is with the keys",
			Detail: "The keys themselves are shown to nobody.", Status: http.StatusOK}),
		row(http.MethodPost, "/api/custom/keys/rotate", api.RotateKeys(k.Desk), Operation{Summary: "Change the data key",
			Detail: "A data key is added, and everything is sealed with it from now on. What is there is sealed anew in the background: `complete` says when that is done. API keys and sessions stay valid.",
			Status: http.StatusAccepted, Problems: []int{http.StatusConflict}}),
	}
}

func uiKeyRoutes(k KeysDeps) []Route {
	return []Route{
		page("/keys", access.Administer, ui.Keys(k.Desk, k.Now)),
		form("/keys/rotate", access.Administer, ui.RotateKeys(k.Desk, k.Now)),
	}
}
