package openapi

import (
	"bytes"
	"encoding/json"
)

// document is an OpenAPI 3.1 document, as far as this package makes one.
type document struct {
	OpenAPI    string                       `json:"openapi"`
	Info       info                         `json:"info"`
	Servers    []server                     `json:"servers"`
	Tags       []tag                        `json:"tags"`
	Paths      members[members[*operation]] `json:"paths"` // by path, then by method in lower case
	Components components                   `json:"components"`
}

type info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description"`
}

type server struct {
	URL string `json:"url"`
}

type tag struct {
	Name string `json:"name"`
}

type components struct {
	Schemas         members[*schema]        `json:"schemas"`
	Responses       members[*response]      `json:"responses"`
	SecuritySchemes members[securityScheme] `json:"securitySchemes"`
}

type securityScheme struct {
	Type        string `json:"type"`
	In          string `json:"in"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

type operation struct {
	OperationID string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Tags        []string              `json:"tags"`
	Security    []map[string][]string `json:"security"` // empty: none is needed
	Parameters  []parameter           `json:"parameters,omitempty"`
	RequestBody *body                 `json:"requestBody,omitempty"`
	Responses   members[*response]    `json:"responses"` // by status
}

type parameter struct {
	Name        string  `json:"name"`
	In          string  `json:"in"` // "path" or "query"
	Required    bool    `json:"required,omitempty"`
	Description string  `json:"description"`
	Schema      *schema `json:"schema"`
}

type body struct {
	Required bool                 `json:"required"`
	Content  map[string]mediaType `json:"content"`
}

type mediaType struct {
	Schema *schema `json:"schema"`
}

type response struct {
	Ref         string               `json:"$ref,omitempty"`
	Description string               `json:"description,omitempty"`
	Headers     map[string]header    `json:"headers,omitempty"`
	Content     map[string]mediaType `json:"content,omitempty"`
}

type header struct {
	Description string  `json:"description"`
	Schema      *schema `json:"schema"`
}

// members is a JSON object whose members keep their order, so that fields stand in the
// document as they stand in the type.
type members[V any] []member[V]

type member[V any] struct {
	Name  string
	Value V
}

// MarshalJSON writes the members in order.
func (m members[V]) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, one := range m {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(one.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.Value)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// get returns the member of a name; the zero value when there is none.
func (m members[V]) get(name string) (v V) {
	for _, one := range m {
		if one.Name == name {
			return one.Value
		}
	}
	return v
}

// slot returns where the member of a name stands; it is added when there is none.
func (m *members[V]) slot(name string) *V {
	for i := range *m {
		if (*m)[i].Name == name {
			return &(*m)[i].Value
		}
	}
	*m = append(*m, member[V]{Name: name})
	return &(*m)[len(*m)-1].Value
}

func (m *members[V]) add(name string, v V) { *m.slot(name) = v }
