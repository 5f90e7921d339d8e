package samschema

import (
	"os"
	"strings"
	"testing"
)

func given(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheTemplateIsAsTheSchemaSays(t *testing.T) {
	complaints, err := Complaints([]byte(given(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range complaints {
		t.Error(c)
	}
}

// TestABrokenTemplateIsRefused in every place that the schema looks at.
func TestABrokenTemplateIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ from, to, says string }{
		"a part that there is not":         {"Outputs:\n", "Output:\n", "no Output"},
		"another transform":                {"AWS::Serverless-2016-10-31", "AWS::Serverless-2017", "Transform"},
		"a type that there is not":         {"Type: AWS::Logs::LogGroup", "Type: AWS::Logs::LogGroups", "no type"},
		"a parameter of no type":           {"Type: AWS::EC2::VPC::Id", "Type: AWS::EC2::VPC", "Parameters"},
		"a parameter's misspelt word":      {"MaxValue: 3008", "MaxVal: 3008", "MaxVal"},
		"a misspelt property of SAM":       {"MemorySize: !Ref MemorySize", "Memory: !Ref MemorySize", "'Memory'"},
		"a misspelt property further in":   {"ThrottlingBurstLimit:", "BurstLimit:", "'BurstLimit'"},
		"a misspelt property of an event":  {"TimeoutInMillis:", "Timeout:", "Everything"},
		"a misspelt property of a log":     {"LogGroup: !Ref LogGroup", "Group: !Ref LogGroup", "'Group'"},
		"a text where a number belongs":    {"ReservedConcurrentExecutions: !Ref Instances", "ReservedConcurrentExecutions: !Ref DomainName", "want number"},
		"a text where a list belongs":      {"SubnetIds: !Ref SubnetIds", "SubnetIds: !Ref VpcId", "want array"},
		"a number where a text belongs":    {"Timeout: 29", `Timeout: "29"`, "want number"},
		"something required is missing":    {"      IpProtocol: tcp\n      FromPort: !Ref HubPort", "      FromPort: !Ref HubPort", "IpProtocol"},
		"a word beside a resource's":       {"DependsOn: ApiApiGatewayDefaultStage", "Depends: ApiApiGatewayDefaultStage", "'Depends'"},
		"a function that is not followed":  {"ApiId: !Ref Api", "ApiId: !Reference Api", "!Reference"},
		"a property of the domain's place": {"EndpointType: REGIONAL", "Endpoint: REGIONAL", "'Endpoint'"},
	} {
		text := given(t)
		broken := strings.Replace(text, c.from, c.to, 1)
		if broken == text {
			t.Errorf("%s: the template holds no %q", name, c.from)
			continue
		}
		complaints, err := Complaints([]byte(broken))
		if err != nil || !strings.Contains(strings.Join(complaints, "\n"), c.says) {
			t.Errorf("%s: complaints are %q, %v; want %q", name, complaints, err, c.says)
		}
	}
}
