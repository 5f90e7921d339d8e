package openapi

import (
	_ "embed"
	"net/http"
	"sync"

	"berth/handlers/endpoint"
)

//go:embed page/style.css
var styleFile []byte

// Site serves the document and the page that shows it. Each is made when it is first
// asked for: most processes on a function host never are.
type Site struct{ document, page func() ([]byte, error) }

// Paths is where the parts of a Site are served, for the page to refer to them.
type Paths struct{ Document, Style, Mark string }

// NewSite returns a Site for the table that routes returns; that is called at most once
// for each of the two, after the table is whole. version and appURL are as for Document.
func NewSite(routes func() []Route, version, appURL string, at Paths) *Site {
	return &Site{
		document: sync.OnceValues(func() ([]byte, error) { return Document(routes(), version, appURL) }),
		page:     sync.OnceValues(func() ([]byte, error) { return renderPage(routes(), version, appURL, at) }),
	}
}

// Document serves the OpenAPI document.
func (s *Site) Document() http.Handler { return serve(jsonMedia, s.document) }

// Page serves the document as a page; it needs no script.
func (s *Site) Page() http.Handler { return serve("text/html; charset=utf-8", s.page) }

// Style serves what the page looks like.
func (s *Site) Style() http.Handler {
	return serve("text/css; charset=utf-8", func() ([]byte, error) { return styleFile, nil })
}

func serve(kind string, content func() ([]byte, error)) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		text, err := content()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", kind)
		w.Write(text) // a client that has gone needs no answer
		return nil
	})
}
