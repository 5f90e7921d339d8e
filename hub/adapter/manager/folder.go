package manager

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"berth/core/fault"
	"berth/core/secrets"
)

// place is a folder of an environment; path has no slash at its ends.
type place struct{ project, environment, path string }

// lack says why a folder has no secrets to give.
type lack int

const (
	nothing lack = iota
	refused      // the identity may not
	missing
)

// folder is what is at a place now.
type folder struct {
	lack    lack
	secrets map[string][]item // by name, personal ones left out
	imports map[string]item   // what is imported, by name; the import that wins
}

// item is one secret of a listing.
type item struct {
	Name   string          `json:"secretKey"`
	Value  json.RawMessage `json:"secretValue"`
	Type   string          `json:"type"`
	Hidden bool            `json:"secretValueHidden"`
}

// Bounds of a listing that comes in pages.
const (
	pageSize = 100
	maxItems = 10_000
)

// query asks for a place; path is what the route calls the folder.
func (p place) query(path string) url.Values {
	return url.Values{"projectId": {p.project}, "environment": {p.environment}, path: {"/" + p.path}, "limit": {strconv.Itoa(pageSize)}}
}

// list reads a folder, with values or without. The fault is about the server or the identity as a whole.
func (c *Client) list(ctx context.Context, at place, values bool) (folder, error) {
	query := at.query("secretPath")
	query.Set("viewSecretValue", strconv.FormatBool(values))
	query.Set("expandSecretReferences", strconv.FormatBool(values))
	query.Set("recursive", "false")
	query.Set("include_imports", "true") // one name today, the other before
	query.Set("includeImports", "true")
	f := folder{secrets: map[string][]item{}, imports: map[string]item{}}
	var err error
	f.lack, err = c.pages(ctx, &c.listing, query, func(body []byte) (n, total int, err error) {
		n, total, ok := f.take(body)
		if !ok {
			err = c.service.Malformed()
		}
		return n, total, err
	})
	return f, err
}

// take adds what a page has, and returns how many that is and how many there are in all.
func (f folder) take(body []byte) (n, total int, ok bool) {
	var told struct {
		Secrets []item
		Imports []struct{ Secrets []item }
		Total   int `json:"totalCount"`
	}
	if json.Unmarshal(body, &told) != nil {
		return 0, 0, false
	}
	for _, i := range told.Secrets {
		if i.Type != "personal" {
			f.secrets[i.Name] = append(f.secrets[i.Name], i)
		}
	}
	for _, imported := range told.Imports {
		for _, i := range imported.Secrets {
			f.imports[i.Name] = i
		}
	}
	return len(told.Secrets), told.Total, true
}

// pages asks until everything was seen. Servers that know no pages send all at once, and no total.
// read returns how many a page has and how many there are.
func (c *Client) pages(ctx context.Context, r *route, query url.Values, read func(body []byte) (n, total int, err error)) (lack, error) {
	for seen := 0; ; {
		query.Set("offset", strconv.Itoa(seen))
		answer, err := c.ask(ctx, r, "", query)
		switch {
		case err != nil:
			return nothing, err
		case answer.status == http.StatusForbidden:
			return refused, nil
		case answer.status != http.StatusOK:
			return missing, nil
		}
		n, total, err := read(answer.body)
		seen += n
		switch {
		case err != nil || n == 0 || seen >= total:
			return nothing, err
		case seen > maxItems:
			return nothing, fault.New(fault.Conflict, "manager.too_large", "the secrets manager at %s lists more than %d entries in one place", c.service.Address, maxItems)
		}
	}
}

// value returns the secret that a reference names.
func (f folder) value(r secrets.ManagerReference) (secrets.Value, *fault.Error) {
	if problem := f.lack.of(r); problem != nil {
		return secrets.Value{}, problem
	}
	own := f.secrets[r.Name]
	imported, isImported := f.imports[r.Name]
	switch {
	case len(own) > 1:
		return secrets.Value{}, fault.New(fault.Conflict, "manager.ambiguous", "%s: the folder has %d secrets of this name; which one is meant cannot be known", r, len(own))
	case len(own) == 0 && !isImported:
		return secrets.Value{}, fault.New(fault.Conflict, "manager.secret_missing", "%s: the folder has no secret of this name", r)
	case len(own) == 0:
		own = []item{imported}
	}
	if own[0].Hidden {
		return secrets.Value{}, fault.New(fault.Conflict, "manager.secret_hidden", "%s: the identity may see that the secret is there, and not its value; let it read the value", r)
	}
	var text string
	if raw := own[0].Value; len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil || strings.ContainsRune(text, 0) {
		return secrets.Value{}, fault.New(fault.Conflict, "manager.not_text", "%s: the secret is not a text that a variable can hold", r)
	}
	return secrets.NewValue(text), nil
}

// of is the fault for a reference to a folder that gives nothing; nil when it does.
func (l lack) of(r secrets.ManagerReference) *fault.Error {
	switch l {
	case refused:
		return fault.New(fault.Conflict, "manager.forbidden", "%s: the identity may not read it; let it read secrets of this project and environment", r)
	case missing:
		return fault.New(fault.Conflict, "manager.folder_missing", "%s: there is no such project, environment or folder, or the identity may not know of it", r)
	}
	return nil
}
