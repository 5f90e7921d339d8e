package githost

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
)

// Bounds of a list. Hosts give fewer items a page than they are asked for where they are set up so.
const (
	pageSize = 50 // items: an answer of that many repositories stays well below outbound.MaxAnswer
	maxPages = 20
	maxName  = 1024 // bytes of a name; longer ones are left out
)

// question is one request to a host's API.
type question struct {
	token secrets.Value
	path  string // escaped
	query url.Values
}

func get(token secrets.Value, path string, query url.Values) question {
	return question{token: token, path: path, query: query}
}

// ask asks the API and decodes what it answers; more says that there is another page.
func (b *base) ask(ctx context.Context, q question, into any) (more bool, err error) {
	r, err := b.request(ctx, q)
	if err != nil {
		return false, err
	}
	answer, err := b.api.Client().Do(r)
	if err != nil {
		return false, b.api.Trouble(ctx, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body) // bounded by outbound
	if err != nil {
		return false, b.api.Trouble(ctx, err)
	}
	if answer.StatusCode != http.StatusOK {
		return false, b.complaint(answer)
	}
	if into != nil && json.Unmarshal(body, into) != nil {
		return false, b.api.Malformed()
	}
	return hasNext(answer.Header), nil
}

func (b *base) request(ctx context.Context, q question) (*http.Request, error) {
	address := b.api.Address + b.root + q.path
	if len(q.query) > 0 {
		address += "?" + q.query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, b.api.Malformed()
	}
	r.Header.Set("Authorization", "Bearer "+q.token.Reveal())
	r.Header.Set("Accept", b.accept)
	r.Header.Set("User-Agent", "berth")
	for name, value := range b.headers {
		r.Header.Set(name, value)
	}
	return r, nil
}

// complaint is the fault for an answer that is not what was asked for.
func (b *base) complaint(answer *http.Response) error {
	limited := answer.Header.Get("X-RateLimit-Remaining") == "0" || answer.Header.Get("Retry-After") != ""
	switch {
	case answer.StatusCode == http.StatusUnauthorized:
		return b.revoked()
	case answer.StatusCode == http.StatusForbidden && limited:
		return b.api.Status(http.StatusTooManyRequests, answer.Header, time.Now())
	case answer.StatusCode == http.StatusForbidden:
		return fault.New(fault.Conflict, "git_provider.forbidden",
			"%s does not let the connected account do this. Its organization may have to approve the OAuth app, or to let the account in by single sign-on; ask its owners.", b.facts.Name)
	case answer.StatusCode == http.StatusNotFound:
		return fault.New(fault.NotFound, "git_provider.not_found", "%s has nothing of that name, or does not show it to the connected account.", b.facts.Name)
	}
	if known := b.api.Status(answer.StatusCode, answer.Header, time.Now()); known != nil {
		return known
	}
	return b.api.Unexpected(answer.StatusCode)
}

// hasNext reports whether a Link header (RFC 8288) names a next page. Where that is nobody follows: pages
// are counted here.
func hasNext(header http.Header) bool {
	for _, line := range header.Values("Link") {
		for link := range strings.SplitSeq(line, ",") {
			_, parameters, _ := strings.Cut(link, ">")
			if strings.Contains(parameters, `rel="next"`) || strings.Contains(parameters, "rel=next") {
				return true
			}
		}
	}
	return false
}

// pages asks for page after page of a list. limit is what the host calls the size of a page. show returns an
// item with its name, by which none comes twice, and whether it belongs to the list.
func pages[T, R any](ctx context.Context, b *base, q question, limit string, show func(T) (item R, name string, belongs bool)) (repositories.HostList[R], error) {
	ctx, cancel := context.WithTimeout(ctx, b.api.Whole())
	defer cancel()
	type named struct {
		name string
		item R
	}
	var all []named
	seen := map[string]bool{}
	more := true
	for page := 1; more && page <= maxPages; page++ {
		query := url.Values{limit: {strconv.Itoa(pageSize)}, "page": {strconv.Itoa(page)}}
		for name, values := range q.query {
			query[name] = values
		}
		var items []T
		next, err := b.ask(ctx, get(q.token, q.path, query), &items)
		if err != nil {
			return repositories.HostList[R]{}, err
		}
		before := len(seen)
		for _, item := range items {
			shown, name, belongs := show(item)
			if name == "" || len(name) > maxName || seen[name] {
				continue
			}
			seen[name] = true
			if belongs {
				all = append(all, named{name, shown})
			}
		}
		more = next && len(seen) > before // a page with nothing new goes nowhere
	}
	slices.SortFunc(all, func(a, b named) int { return cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name)) })
	list := repositories.HostList[R]{Items: make([]R, len(all)), Truncated: more}
	for i, n := range all {
		list.Items[i] = n.item
	}
	return list, nil
}

// escaped escapes each name of a path.
func escaped(path string) string {
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = url.PathEscape(name)
	}
	return strings.Join(names, "/")
}

// isTransport reports whether err is of sending rather than of understanding.
func isTransport(err error) bool {
	var sent *url.Error
	return errors.As(err, &sent)
}
