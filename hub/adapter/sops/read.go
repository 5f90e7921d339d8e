package sops

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"berth/core/fault"

	"github.com/getsops/sops/v3"
	"github.com/getsops/sops/v3/stores"
	"go.yaml.in/yaml/v3"
)

// file is an encrypted file, parsed and within limits.
type file struct {
	tree  sops.Tree
	names []string // in the order of the file
}

// Names returns the names that content gives values to. The content need not be ours to decrypt.
func (Files) Names(content []byte) ([]string, error) {
	f, err := parse(content)
	return f.names, err
}

// parse reads content: one document, a flat mapping and the section of sops.
func parse(content []byte) (f file, err error) {
	defer func() {
		if recover() != nil { // of a library; what it holds is not to be shown
			err = errMalformed
		}
	}()
	if len(content) > MaxFile {
		return f, tooLarge("bytes", len(content), MaxFile)
	}
	document, err := oneDocument(content)
	if err != nil {
		return f, err
	}
	r := &reader{}
	branch, err := r.top(document)
	if err != nil {
		return f, err
	}
	branches, metadata, err := stores.ExtractMetadata(sops.TreeBranches{branch}, stores.MetadataOpts{Flatten: stores.MetadataFlattenNone})
	if err != nil || len(branches) != 1 {
		return f, errMetadata
	}
	f.tree, f.names = sops.Tree{Branches: branches, Metadata: metadata}, r.names
	return f, checkRules(metadata)
}

// oneDocument returns the mapping of the one document, or the fault that says why there is none.
func oneDocument(content []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document, second yaml.Node
	if decoder.Decode(&document) != nil || len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, errMalformed
	}
	if !errors.Is(decoder.Decode(&second), io.EOF) {
		return nil, errMalformed
	}
	return &document, nil
}

// reader turns nodes into a tree.
type reader struct {
	names []string
	nodes int
}

// top reads the mapping, with its comments where sops has them: a rule may go by comments.
func (r *reader) top(document *yaml.Node) (sops.TreeBranch, error) {
	var branch sops.TreeBranch
	var bad []string
	root, encrypted, seen := document.Content[0], false, map[string]bool{}
	comment(&branch, false, document.HeadComment, document.LineComment, root.HeadComment, root.LineComment)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" || seen[key.Value] {
			return nil, errMalformed
		}
		seen[key.Value] = true
		comment(&branch, false, key.HeadComment, key.LineComment)
		item := sops.TreeItem{Key: key.Value}
		switch {
		case key.Value == stores.SopsMetadataKey && value.Kind == yaml.MappingNode:
			section, err := r.value(value, 0)
			if err != nil {
				return nil, err
			}
			encrypted, item.Value = true, section
		case value.Kind == yaml.ScalarNode && value.ShortTag() != "!!null" && value.ShortTag() != "!!binary":
			comment(&branch, false, value.HeadComment)
			comment(&branch, true, value.LineComment)
			if value.Decode(&item.Value) != nil {
				return nil, errMalformed
			}
			r.names = append(r.names, key.Value)
		default:
			bad = append(bad, key.Value)
		}
		branch = append(branch, item)
		comment(&branch, false, value.FootComment, key.FootComment)
	}
	switch {
	case !encrypted:
		return nil, errPlain
	case len(bad) > 0:
		return nil, notFlat(bad)
	case len(r.names) > maxKeys:
		return nil, tooLarge("names", len(r.names), maxKeys)
	}
	comment(&branch, false, root.FootComment, document.FootComment)
	return branch, nil
}

// comment adds the lines of comments to a branch.
func comment(branch *sops.TreeBranch, inline bool, texts ...string) {
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			if line != "" {
				*branch = append(*branch, sops.TreeItem{Key: sops.Comment{Value: line[1:], Inline: inline}})
			}
		}
	}
}

// value reads what is in the section of sops.
func (r *reader) value(n *yaml.Node, depth int) (any, error) {
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		return nil, errMetadata
	}
	switch n.Kind {
	case yaml.ScalarNode:
		var v any
		if n.Decode(&v) != nil {
			return nil, errMetadata
		}
		return v, nil
	case yaml.SequenceNode:
		items := make([]any, 0, len(n.Content))
		for _, child := range n.Content {
			item, err := r.value(child, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return items, nil
	case yaml.MappingNode:
		branch := make(sops.TreeBranch, 0, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			item, err := r.value(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			branch = append(branch, sops.TreeItem{Key: n.Content[i].Value, Value: item})
		}
		return branch, nil
	}
	return nil, errMetadata
}

// checkRules refuses rules of what is encrypted that sops would ignore, or take long for.
func checkRules(m sops.Metadata) error {
	patterns := []string{m.UnencryptedRegex, m.EncryptedRegex, m.UnencryptedCommentRegex, m.EncryptedCommentRegex}
	for _, rule := range append(patterns, m.UnencryptedSuffix, m.EncryptedSuffix) {
		if len(rule) > maxRule {
			return errRules
		}
	}
	for _, pattern := range patterns {
		if _, err := regexp.Compile(pattern); err != nil {
			return errRules
		}
	}
	return nil
}

// group returns the keys of the file's one group. There are no more than are sensible.
func (f file) group() (sops.KeyGroup, error) {
	groups := f.tree.Metadata.KeyGroups
	if len(groups) != 1 {
		return nil, errGroups
	}
	if len(groups[0]) > maxOwn {
		return nil, fault.New(fault.TooLarge, "sops.too_large", "The file is encrypted for %d keys; at most %d are read.", len(groups[0]), maxOwn)
	}
	return groups[0], nil
}
