package ui

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"berth/handlers/endpoint"
)

//go:embed templates
var templateFiles embed.FS

// shared are the templates that every page may use, parsed when the first page is shown: a
// function host starts this program for one request, which may need none.
var shared = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"icon": icon, "share": share, "sure": sure}).ParseFS(templateFiles, "templates/*.html"))
})

// view is a page's template, bound to the type of the view model that it is executed with.
type view[M any] struct {
	file string // below templates/pages
	page func() *template.Template
}

// views are the files of all views, for the test that parses them.
var views []func() *template.Template

// document is what a page's template sees.
type document[M any] struct {
	frame
	Page M
}

// newView returns a page that is parsed once, when it is first shown. A template that does not
// parse is a defect of this program, which its tests find, so it panics like regexp.MustCompile.
func newView[M any](file string) view[M] {
	page := sync.OnceValue(func() *template.Template {
		return template.Must(template.Must(shared().Clone()).ParseFS(templateFiles, "templates/pages/"+file))
	})
	views = append(views, page)
	return view[M]{file: file, page: page}
}

// render makes the page's HTML. Every string of the model that a template could show is made
// safe to look at first; see clean.
func (v view[M]) render(f frame, m M) ([]byte, error) {
	doc := document[M]{frame: f, Page: m}
	clean(&doc)
	layout := "framed"
	if f.Who == "" {
		layout = "bare"
	}
	var html bytes.Buffer
	if err := v.page().ExecuteTemplate(&html, layout, doc); err != nil {
		return nil, fmt.Errorf("render page %s: %w", v.file, err)
	}
	return html.Bytes(), nil
}

// write answers with the page. A page that did not change since the browser's script last
// saw it is answered with 304 and no body.
func (v view[M]) write(w http.ResponseWriter, r *http.Request, status int, f frame, m M) error {
	html, err := v.render(f, m)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Add("Vary", "Cookie")
	if status == http.StatusOK && r.Method == http.MethodGet {
		tag := tagOf(html, f.Seen)
		w.Header().Set("ETag", tag)
		if strings.Contains(r.Header.Get("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	endpoint.WriteText(w, r, status, html)
	return nil
}

// tagOf is the entity tag of a page, which is the same whatever else was stored before it was read.
func tagOf(html []byte, seen string) string {
	sum := sha256.New()
	before, after, _ := bytes.Cut(html, []byte(seen))
	sum.Write(before)
	sum.Write(after)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:18]) + `"`
}

// seeOther sends the browser on after a form was done, so that reloading does not repeat it.
func seeOther(w http.ResponseWriter, r *http.Request, to string) error {
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}
