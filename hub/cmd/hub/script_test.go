package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"berth/local/stand/scripting"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"hub": main}) }

func TestScripts(t *testing.T) { scripting.Run(t, "testdata/script", nil) }
