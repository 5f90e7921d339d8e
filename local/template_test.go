package main

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"berth/core/config"
)

// template is template.yaml as it is written, with its tags.
type template struct {
	t    *testing.T
	root *yaml.Node
}

func readTemplate(t *testing.T) *template {
	t.Helper()
	text, err := os.ReadFile("../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return &template{t, document.Content[0]}
}

// at follows keys; nil when one is missing.
func at(node *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		if node == nil {
			return nil
		}
		var next *yaml.Node
		for i := 0; i+1 < len(node.Content) && node.Kind == yaml.MappingNode; i += 2 {
			if node.Content[i].Value == key {
				next = node.Content[i+1]
			}
		}
		node = next
	}
	return node
}

// entries returns a mapping's values by key.
func entries(node *yaml.Node) map[string]*yaml.Node {
	all := map[string]*yaml.Node{}
	for i := 0; node != nil && node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		all[node.Content[i].Value] = node.Content[i+1]
	}
	return all
}

func each(node *yaml.Node, visit func(*yaml.Node)) {
	visit(node)
	for _, child := range node.Content {
		each(child, visit)
	}
}

var substituted = regexp.MustCompile(`\$\{([^}!]+)\}`)

// referenced returns what a node refers to: parameters, resources and pseudo parameters.
func referenced(node *yaml.Node) (names []string) {
	switch node.Tag {
	case "!Ref":
		return []string{node.Value}
	case "!GetAtt":
		resource, _, _ := strings.Cut(node.Value, ".")
		return []string{resource}
	case "!Sub":
		for _, found := range substituted.FindAllStringSubmatch(node.Value, -1) {
			resource, _, _ := strings.Cut(found[1], ".")
			names = append(names, resource)
		}
	}
	return names
}

// TestEveryReferenceOfTheTemplateLeadsSomewhere, and every parameter is told of and used.
func TestEveryReferenceOfTheTemplateLeadsSomewhere(t *testing.T) {
	f := readTemplate(t)
	parameters, resources := entries(at(f.root, "Parameters")), entries(at(f.root, "Resources"))
	used := map[string]bool{}
	conditions := entries(at(f.root, "Conditions"))
	each(f.root, func(node *yaml.Node) {
		if node.Tag == "!If" && conditions[node.Content[0].Value] == nil {
			t.Errorf("line %d: there is no condition %s", node.Line, node.Content[0].Value)
		}
		if logic := node.Tag == "!If" || node.Tag == "!Not" || node.Tag == "!Equals"; logic {
			return // what they hold is looked at by itself
		}
		if strings.HasPrefix(node.Tag, "!") && !strings.HasPrefix(node.Tag, "!!") && referenced(node) == nil {
			t.Errorf("line %d: %s %q refers to nothing", node.Line, node.Tag, node.Value)
		}
		for _, name := range referenced(node) {
			used[name] = true
			if pseudo := strings.HasPrefix(name, "AWS::"); !pseudo && parameters[name] == nil && resources[name] == nil {
				t.Errorf("line %d: there is no %s", node.Line, name)
			}
		}
	})
	for name, p := range parameters {
		if !used[name] || at(p, "Description") == nil || at(p, "Type") == nil {
			t.Errorf("parameter %s is unused, or has no description or type", name)
		}
		secret := regexp.MustCompile(`(?i)secret|token|password|key`).MatchString(name)
		if byReference := strings.HasSuffix(name, "Arn"); secret && !byReference && at(p, "NoEcho") == nil {
			t.Errorf("parameter %s is a secret in clear", name)
		}
	}
	for name, o := range entries(at(f.root, "Outputs")) {
		if at(o, "Description") == nil || at(o, "Value") == nil {
			t.Errorf("output %s says nothing", name)
		}
	}
}

// TestTheTemplatesFunctionHasWhatItNeeds: variables that it knows, all that it requires, secrets
// by reference alone, and times that fit into each other.
func TestTheTemplatesFunctionHasWhatItNeeds(t *testing.T) {
	f := readTemplate(t)
	function := at(f.root, "Resources", "Function", "Properties")
	given := entries(at(function, "Environment", "Variables"))
	known := reflect.TypeFor[config.Function]()
	names := map[string]bool{}
	for i := range known.NumField() {
		tag := known.Field(i).Tag
		names[tag.Get("env")] = true
		if tag.Get("required") == "yes" && given[tag.Get("env")] == nil {
			t.Errorf("%s is required and not given", tag.Get("env"))
		}
	}
	samples := map[string]string{}
	for name, value := range given {
		if !names[name] {
			t.Errorf("the function knows no %s", name)
		}
		samples[name] = f.sample(value)
		if secret := name == "SECRET_KEY" || name == "DATABASE_URL" || name == "BOOTSTRAP_TOKEN"; secret {
			if value.Value != "{{resolve:secretsmanager:${SecretArn}:SecretString:"+name+"::${CredentialsVersion}}}" {
				t.Errorf("%s is not taken from the secret: %s", name, value.Value)
			}
		}
	}
	if old := given["SECRET_KEY_PREVIOUS"]; old == nil || old.Tag != "!If" || at(f.root, "Conditions", "ChangingKey") == nil ||
		old.Content[1].Value != "{{resolve:secretsmanager:${SecretArn}:SecretString:SECRET_KEY::${PreviousCredentialsVersion}}}" || old.Content[2].Value != "AWS::NoValue" {
		t.Error("SECRET_KEY_PREVIOUS is not the key of the secret's version before, or not only when there is one")
	}
	samples["SECRET_KEY"] = "8f1c2d3e4b5a69788796a5b4c3d2e1f00112f334455667d88899aabbcc0deeff"
	samples["DATABASE_URL"] = "postgres://berth:x@db.internal:5432/berth"
	cfg, problems, warnings := config.LoadFunction(func(name string) (string, bool) { value, found := samples[name]; return value, found }, slices.Collect(maps.Keys(samples)))
	if len(problems)+len(warnings) > 0 {
		t.Errorf("%v\n%v", problems, warnings)
	}
	event := entries(at(function, "Events"))["Everything"]
	if cfg.Event != config.EventHTTPv2 || at(event, "Type").Value != "HttpApi" || at(event, "Properties", "PayloadFormatVersion").Value != "2.0" || at(event, "Properties", "Path") != nil {
		t.Errorf("events of the form %s do not come from all of an HTTP API", cfg.Event)
	}
	if at(function, "Timeout").Value != "29" || at(event, "Properties", "TimeoutInMillis").Value != "30000" {
		t.Error("the function must give up before the API, which waits for 30 s at most")
	}
	if at(function, "Runtime").Value != "provided.al2023" || at(function, "Handler").Value != "bootstrap" {
		t.Error("a program of Go is run as bootstrap of provided.al2023")
	}
	script, err := os.ReadFile("make/function.sh")
	if err != nil || !strings.Contains(string(script), at(function, "CodeUri").Value+"/bootstrap") {
		t.Errorf("make function does not build %s/bootstrap (%v)", at(function, "CodeUri").Value, err)
	}
}

// sample returns what a value may become when the template is deployed.
func (f *template) sample(value *yaml.Node) string {
	words := map[string]string{"DomainName": "berth.example.com", "SecretArn": "arn", "HubUrl": ""}
	for name, p := range entries(at(f.root, "Parameters")) {
		if standard := at(p, "Default"); standard != nil {
			words[name] = standard.Value
		}
	}
	if value.Tag == "!Ref" {
		return words[value.Value]
	}
	if value.Tag == "!Sub" {
		return substituted.ReplaceAllStringFunc(value.Value, func(found string) string { return words[found[2:len(found)-1]] })
	}
	return value.Value
}

// TestTheTemplatePermitsNothingInGeneral: no wildcard in what is allowed, in either direction.
func TestTheTemplatePermitsNothingInGeneral(t *testing.T) {
	statements := 0
	each(readTemplate(t).root, func(node *yaml.Node) {
		effect := at(node, "Effect")
		if effect == nil {
			return
		}
		statements++
		wild := false
		for _, part := range []string{"Action", "Resource", "Principal"} {
			if of := at(node, part); of != nil {
				each(of, func(value *yaml.Node) { wild = wild || strings.Contains(value.Value, "*") })
			}
		}
		switch {
		case effect.Value == "Allow" && wild:
			t.Errorf("line %d: something is allowed with a wildcard", node.Line)
		case effect.Value == "Allow" && at(node, "Resource") == nil && at(node, "Principal") == nil:
			t.Errorf("line %d: something is allowed on everything", node.Line)
		case effect.Value == "Deny" && wild && at(node, "Condition") == nil:
			t.Errorf("line %d: something is denied to everybody", node.Line)
		}
	})
	if statements < 3 {
		t.Errorf("only %d statements were found: the search is broken", statements)
	}
	each(readTemplate(t).root, func(node *yaml.Node) {
		if node.Value == "0.0.0.0/0" || node.Value == "::/0" {
			t.Errorf("line %d: everybody is let in or out", node.Line)
		}
	})
}

// properties are those of AWS's reference that the template may use, by type of resource. A word
// that is misspelt, or that another type has, is refused only when it is deployed otherwise.
var properties = map[string]string{
	"AWS::Serverless::Function": "FunctionName Description CodeUri Handler Runtime Architectures MemorySize Timeout ReservedConcurrentExecutions Role LoggingConfig VpcConfig Environment Events",
	"AWS::Serverless::HttpApi":  "Description StageName DisableExecuteApiEndpoint FailOnWarnings DefaultRouteSettings",

	"AWS::ApiGatewayV2::DomainName":  "DomainName DomainNameConfigurations",
	"AWS::ApiGatewayV2::ApiMapping":  "ApiId DomainName Stage ApiMappingKey",
	"AWS::Logs::LogGroup":            "LogGroupName RetentionInDays KmsKeyId",
	"AWS::IAM::Role":                 "AssumeRolePolicyDocument ManagedPolicyArns Policies Description",
	"AWS::EC2::SecurityGroup":        "GroupDescription VpcId SecurityGroupEgress SecurityGroupIngress",
	"AWS::EC2::SecurityGroupIngress": "Description GroupId IpProtocol FromPort ToPort SourceSecurityGroupId",
}

func TestTheTemplatesResourcesAreWrittenAsAWSReadsThem(t *testing.T) {
	f := readTemplate(t)
	if at(f.root, "AWSTemplateFormatVersion").Value != "2010-09-09" || at(f.root, "Transform").Value != "AWS::Serverless-2016-10-31" {
		t.Error("the template has another format")
	}
	for name, r := range entries(at(f.root, "Resources")) {
		kind := at(r, "Type").Value
		known, found := properties[kind]
		if !found || !regexp.MustCompile(`^[A-Za-z0-9]+$`).MatchString(name) {
			t.Errorf("%s: type %s, or the name, is not known here", name, kind)
		}
		for property := range entries(at(r, "Properties")) {
			if !slices.Contains(strings.Fields(known), property) {
				t.Errorf("%s: %s has no %s", name, kind, property)
			}
		}
		for part := range entries(r) {
			if !slices.Contains([]string{"Type", "Properties", "DependsOn"}, part) {
				t.Errorf("%s: %s is not known here", name, part)
			}
		}
	}
}
