package coretest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"berth/core/fault"
	"berth/core/secrets"
)

// SecretShelf is a secrets.Provider together with what the contract needs of the place behind it.
type SecretShelf struct {
	Provider secrets.Provider
	// Put stores a value under a name, in place of the one before, and returns the reference to it.
	Put func(t *testing.T, name, value string) (reference string)
	// Missing returns a reference of the provider's form to nothing.
	Missing func(t *testing.T) (reference string)
	// Break makes the place unreachable for good; nil when nothing lies between the provider and its place.
	Break func(t *testing.T)
}

// SecretValues are values of many shapes: each must come back byte for byte, and none may show up in a message.
func SecretValues() map[string]string {
	return map[string]string{
		"plain":                  "canary-plain-7f3a",
		"spaces":                 "  canary with spaces around\t ",
		"several":                "canary line one\nline two\n\n",
		"windows":                "canary one\r\ntwo\r\n",
		"json":                   `{"canary": ["a\"b\\c", null, 1.50], "é": "\u0041"}`,
		"pem":                    "-----BEGIN CANARY KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n", 40) + "-----END CANARY KEY-----\n",
		"quotes":                 `canary'"` + "`" + `$HOME $(id) \n %s <b>&amp;`,
		"unicode":                "canary-пароль-密码-🔑-e\u0301-\u202e-\ufeff",
		"equals":                 "canary=a=b#c;d",
		"number":                 "00012345678901234567890",
		"boolean":                "false",
		"base64":                 "Y2FuYXJ5LWJhc2U2NA==",
		"url":                    "postgres://canary:p%40ss@db:5432/x?sslmode=disable#f",
		"control":                "canary\x01\x1b[31m\x7f",
		"long":                   strings.Repeat("canary-0123456789abcdef", 1300), // 30 kB
		"looks like a reference": "kv/data/canary#key",
	}
}

// SecretProvider is the contract of secrets.Provider. open returns a provider over a place of its own.
func SecretProvider(t *testing.T, open func(t *testing.T) SecretShelf) {
	cases := map[string]func(secretBench){
		"its name is known":                              providerName,
		"every value comes back byte for byte":           providerShapes,
		"no references are no problem":                   providerNothing,
		"two variables may have one reference":           providerTwice,
		"a hundred references at once":                   providerHundred,
		"a new value counts at the next resolve":         providerRotation,
		"V3 what is missing is named, the rest is given": providerMissing,
		"what is no reference is refused":                providerBadReference,
		"a call that is given up ends with its context":  providerCancelled,
		"it is safe for concurrent use":                  providerTogether,
	}
	for name, run := range cases {
		t.Run(name, func(t *testing.T) { run(secretBench{t, open(t)}) })
	}
	if open(t).Break != nil {
		t.Run("V1 a place that is away is said to be away", func(t *testing.T) { providerAway(secretBench{t, open(t)}) })
	}
}

type secretBench struct {
	*testing.T
	SecretShelf
}

func (b secretBench) ref(variable, reference string) secrets.Ref {
	return secrets.Ref{Variable: variable, Provider: b.Provider.Name(), Reference: reference}
}

// resolve resolves what must resolve.
func (b secretBench) resolve(refs ...secrets.Ref) map[string]secrets.Value {
	b.Helper()
	values, err := b.Provider.Resolve(b.Context(), refs)
	if err != nil {
		b.Fatalf("resolve: %v", err)
	}
	if len(values) != len(refs) {
		b.Fatalf("%d values for %d references", len(values), len(refs))
	}
	return values
}

// quiet complains when a message has a value in it.
func (b secretBench) quiet(err error, values ...string) {
	b.Helper()
	for _, value := range values {
		if strings.Contains(fmt.Sprintf("%v %+v %s", err, err, fault.PublicOf(err)), value) {
			b.Errorf("a message shows a value: %v", err)
		}
	}
}

func providerName(b secretBench) {
	if !secrets.KnownProvider(b.Provider.Name()) {
		b.Errorf("the name is %q", b.Provider.Name())
	}
}

func providerShapes(b secretBench) {
	shapes := SecretValues()
	var refs []secrets.Ref
	for name, value := range shapes {
		refs = append(refs, b.ref(name, b.Put(b.T, name, value)))
	}
	for name, value := range b.resolve(refs...) {
		if value.Reveal() != shapes[name] {
			b.Errorf("%s came back as %q, want %q", name, value.Reveal(), shapes[name])
		}
	}
}

func providerNothing(b secretBench) {
	if values, err := b.Provider.Resolve(b.Context(), nil); err != nil || len(values) != 0 {
		b.Errorf("nothing gave %d values, %v", len(values), err)
	}
}

func providerTwice(b secretBench) {
	reference := b.Put(b.T, "ONE", "canary-one")
	for name, value := range b.resolve(b.ref("A", reference), b.ref("B", reference)) {
		if value.Reveal() != "canary-one" {
			b.Errorf("%s is %q", name, value.Reveal())
		}
	}
}

func providerHundred(b secretBench) {
	var refs []secrets.Ref
	for i := range 100 {
		refs = append(refs, b.ref(fmt.Sprint("V", i), b.Put(b.T, fmt.Sprint("NAME_", i), fmt.Sprint("canary-", i))))
	}
	values := b.resolve(refs...)
	for i := range 100 {
		if got := values[fmt.Sprint("V", i)].Reveal(); got != fmt.Sprint("canary-", i) {
			b.Errorf("V%d is %q", i, got)
		}
	}
}

func providerRotation(b secretBench) {
	for _, value := range []string{"canary-old", "canary-new"} {
		reference := b.Put(b.T, "ROTATED", value)
		if got := b.resolve(b.ref("A", reference))["A"].Reveal(); got != value {
			b.Errorf("the value is %q, want %q", got, value)
		}
	}
}

func providerMissing(b secretBench) {
	there, missing := b.Put(b.T, "THERE", "canary-there"), b.Missing(b.T)
	values, err := b.Provider.Resolve(b.Context(), []secrets.Ref{b.ref("LACKING", missing), b.ref("GIVEN", there)})
	var known *fault.Error
	if !errors.As(err, &known) || known.Kind == fault.Unavailable || known.Kind == fault.Internal {
		b.Errorf("the error is %v: a fault that says that trying again is no use was wanted", err)
	}
	if text := fault.PublicOf(err); !strings.Contains(text, missing) && !strings.Contains(text, "LACKING") {
		b.Errorf("%q names neither the reference nor the variable", text)
	}
	b.quiet(err, "canary-there")
	if _, found := values["LACKING"]; found || values["GIVEN"].Reveal() != "canary-there" {
		b.Errorf("the values are those of %d variables; the one that is there was wanted", len(values))
	}
}

func providerBadReference(b secretBench) {
	for _, text := range []string{"", "no reference", "../data/x#y", "a/../b/data/c#d", "kv/data/x", "a/b/c\n#d", "\x00", strings.Repeat("a", 5000)} {
		values, err := b.Provider.Resolve(b.Context(), []secrets.Ref{b.ref("A", text)})
		var known *fault.Error
		if len(values) != 0 || !errors.As(err, &known) || known.Kind == fault.Unavailable {
			b.Errorf("%.40q gave %d values, %v", text, len(values), err)
		}
	}
}

func providerAway(b secretBench) {
	reference := b.Put(b.T, "AWAY", "canary-away")
	b.resolve(b.ref("A", reference))
	b.Break(b.T)
	values, err := b.Provider.Resolve(b.Context(), []secrets.Ref{b.ref("A", reference)})
	if len(values) != 0 || !fault.Is(err, fault.Unavailable) {
		b.Errorf("%d values, %v (%s); Unavailable was wanted", len(values), err, fault.KindOf(err))
	}
	b.quiet(err, "canary-away")
}

func providerCancelled(b secretBench) {
	reference := b.Put(b.T, "LATE", "canary-late")
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	values, err := b.Provider.Resolve(ctx, []secrets.Ref{b.ref("A", reference)})
	if len(values) != 0 || !errors.Is(err, context.Canceled) {
		b.Errorf("%d values, %v; the context's error was wanted", len(values), err)
	}
}

func providerTogether(b secretBench) {
	var refs []secrets.Ref
	for i := range 5 {
		refs = append(refs, b.ref(fmt.Sprint("V", i), b.Put(b.T, fmt.Sprint("NAME_", i), fmt.Sprint("canary-", i))))
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 4 {
				if values, err := b.Provider.Resolve(b.Context(), refs); err != nil || values["V4"].Reveal() != "canary-4" {
					b.Errorf("%d values, %v", len(values), err)
				}
			}
		})
	}
	all.Wait()
}
