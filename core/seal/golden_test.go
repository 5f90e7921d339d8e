package seal_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"berth/core/seal"
)

// What earlier releases wrote with goldenRing and keyText. These must open for ever.
const (
	goldenEnvelope = "0100000001131b03160baf55c5af979473048ea078bb4426943761b7bac48bc3ed639d0573d8"
	goldenCheck    = "010000000154c9fedcac1fc0f15c7b27d45ca447c313c549bf19323ed44cd3e628cdab4798fc9eed1d6d198a7df7b9002d2f0143fe"
	goldenWrapped  = "013f854d3c57d88d0a13774ae69e5de6bf06e85bdc1017867348fef6397ac287f68fb4cfa74457e2d1fdb126e1186b300564208a140847b6b36d8ab158849b5e"
	goldenMAC      = "9525016e40e68521de78be447a771518d937f5eaab2e198e0a7176b8fc8574bf"
	goldenPrint    = "b046f15d5fc731550918b7ef8510bc96"
	goldenSubkey   = "85518a08b7eb4ce020154902d6462cb4e1512438123a7dbfb6caf68a97f28d49"
	goldenToken    = "berth_wt_wtk_065wzsb8001zy17f60h069nxz8_bbcf53t6khpry9fmy630a2b5fn90nawpz2kgk8n9xkyzzf0yvg90pwt8z81rjw64hv07snsvc9bz77p823v0y5qeeev2wf3e4r8aqhqmw7wfg"
)

func goldenRing(t testing.TB) *seal.Ring {
	t.Helper()
	ring, err := seal.NewRing(bytes.NewReader(bytes.Repeat([]byte("0123456789abcdef"), 2)))
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWhatWasWrittenBeforeStillOpens(t *testing.T) {
	ring := goldenRing(t)
	opened, err := seal.OpenRing(mustKey(t, keyText), []seal.WrappedKey{{Number: 1, Wrapped: unhex(t, goldenWrapped), Active: true}})
	if err != nil {
		t.Fatalf("the key ring: %v", err)
	}
	mustOpen(t, opened, place, unhex(t, goldenEnvelope), "value")
	if err := opened.OpenCheck(unhex(t, goldenCheck)); err != nil {
		t.Errorf("the check row: %v", err)
	}
	if !ring.VerifyMAC(seal.PurposeAPIKey, []byte("message"), unhex(t, goldenMAC)) {
		t.Error("the MAC is refused")
	}
	if ring.Fingerprint("a", "b") != goldenPrint || !bytes.Equal(ring.Subkey(seal.PurposeHub), unhex(t, goldenSubkey)) {
		t.Error("the fingerprint or the subkey changed")
	}
	token, err := seal.ParseToken(goldenToken)
	if got, _ := token.Pin(); err != nil || got != pin || token.ID() != "wtk_065wzsb8001zy17f60h069nxz8" {
		t.Errorf("the token reads as %v, %v", token, err)
	}
}
