package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"strconv"
	"strings"
	"time"

	"berth/core/seal"
	"berth/core/secrets"
)

// forms says how the text of a variable is read, by the form that its field names. The
// text is not empty, and plain has accepted it. An error says, after the variable's
// name, what is wrong and what would be right, and shows nothing of the text.
var forms = map[string]func(text string, v variable) (any, error){
	"text":           readText,
	"path":           readText,
	"secret":         readSecret,
	"secret key":     readSecretKey,
	"worker token":   readWorkerToken,
	"number":         readNumber,
	"seconds":        readSeconds,
	"duration":       readDuration,
	"switch":         readSwitch,
	"log level":      readLogLevel,
	"log format":     readLogFormat,
	"mail address":   readMailAddress,
	"origin":         readOrigin,
	"server url":     readServerURL,
	"postgres":       readPostgres,
	"issuer":         readIssuer,
	"scopes":         readScopes,
	"role map":       readRoleMap,
	"host":           readHost,
	"worker name":    readWorkerName,
	"listen address": readListenAddress,
	"networks":       readNetworks,
	"tags":           readTags,
	"allowances":     readAllowances,
	"event form":     readEventForm,
	"base path":      readBasePath,
}

// LogFormat is the form of log lines.
type LogFormat string

// The forms of log lines.
const (
	LogText LogFormat = "text" // key=value
	LogJSON LogFormat = "json" // one JSON object in each line
)

func readText(text string, _ variable) (any, error)   { return text, nil }
func readSecret(text string, _ variable) (any, error) { return secrets.NewValue(text), nil }

func readSecretKey(text string, _ variable) (any, error) {
	key, err := seal.ParseSecretKey(text)
	return key, err
}

func readWorkerToken(text string, _ variable) (any, error) {
	token, err := seal.ParseToken(text)
	if err != nil {
		return nil, fmt.Errorf("is %w. Copy it again from where the worker was added", err)
	}
	if token.Kind() != seal.TokenWorker {
		return nil, errors.New("is a token of another kind; a worker token begins with berth_wt_")
	}
	return token, nil
}

func readNumber(text string, v variable) (any, error) {
	number, err := strconv.Atoi(text)
	if err != nil || !onlyDigits(text) || number < v.min || number > v.max {
		return nil, fmt.Errorf("must be a whole number from %d to %d, in digits only", v.min, v.max)
	}
	return number, nil
}

func readSeconds(text string, v variable) (any, error) {
	number, err := strconv.Atoi(text)
	if err != nil || !onlyDigits(text) || number < v.min || number > v.max {
		return nil, fmt.Errorf("must be a whole number of seconds from %d to %d, in digits only, without a unit", v.min, v.max)
	}
	return time.Duration(number) * time.Second, nil
}

func readDuration(text string, v variable) (any, error) {
	if onlyDigits(text) {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	least, most := time.Duration(v.min)*time.Second, time.Duration(v.max)*time.Second
	if err != nil || d < least || d > most {
		return nil, fmt.Errorf("must be a duration from %d second to %d hours: digits with the unit s, m or h, or whole seconds", v.min, v.max/3600)
	}
	return d, nil
}

func readSwitch(text string, _ variable) (any, error) {
	if text != "true" && text != "false" {
		return nil, errors.New("must be true or false, in lower case")
	}
	return text == "true", nil
}

func readLogLevel(text string, _ variable) (any, error) {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	level, found := levels[text]
	if !found {
		return nil, errors.New("must be debug, info, warn or error, in lower case")
	}
	return level, nil
}

func readLogFormat(text string, _ variable) (any, error) {
	format := LogFormat(text)
	if format != LogText && format != LogJSON {
		return nil, errors.New("must be text or json, in lower case")
	}
	return format, nil
}

func readMailAddress(text string, _ variable) (any, error) {
	address, err := mail.ParseAddress(text)
	if err != nil {
		return nil, errors.New("is not an e-mail address; write name@host, or Name <name@host>")
	}
	return address, nil
}

func onlyDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
