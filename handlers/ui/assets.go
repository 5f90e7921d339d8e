package ui

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"

	"berth/core/fault"
	"berth/handlers/endpoint"
)

//go:embed assets
var assetFiles embed.FS

// assets are the addresses of what pages load. Each holds a digest of the content, so a
// browser keeps them for ever and never shows an old one with a new page.
type assets struct{ Style, Script, Palette, Mark string }

var assetURLs = assets{Style: assetURL("berth.css"), Script: assetURL("berth.js"), Palette: assetURL("palette.js"), Mark: assetURL("mark.svg")}

// Mark is where the mark of the product is served, for pages that others make.
func Mark() string { return assetURLs.Mark }

// assetKinds are the files that are served, by name.
var assetKinds = map[string]string{"berth.css": "text/css; charset=utf-8", "berth.js": "text/javascript; charset=utf-8", "palette.js": "text/javascript; charset=utf-8", "mark.svg": "image/svg+xml"}

func assetURL(name string) string { return path.Join("/assets", digestOf(name), name) }

func digestOf(name string) string {
	content, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		panic("ui: asset is not embedded: " + name)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// Asset serves styles, script and mark at /assets/{digest}/{name}.
func Asset() http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		name := r.PathValue("name")
		kind, found := assetKinds[name]
		if !found {
			return fault.New(fault.NotFound, "asset.not_found", "There is no such file.")
		}
		content, err := assetFiles.ReadFile("assets/" + name)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", kind)
		if r.PathValue("digest") == digestOf(name) {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		endpoint.WriteText(w, r, http.StatusOK, content)
		return nil
	})
}
