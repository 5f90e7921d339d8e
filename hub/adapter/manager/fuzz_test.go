package manager

import (
	"net/http"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
)

// Whatever a server answers, a value is a text that the answer holds, and no message shows any of it.
func FuzzAnswers(f *testing.F) {
	f.Add(200, `{"secrets":[{"secretKey":"NAME","secretValue":"canary-value","type":"shared"}],"imports":[{"secrets":[{"secretKey":"NAME","secretValue":"x"}]}],"totalCount":1}`)
	f.Add(200, `{"secrets":[{"secretKey":"NAME","secretValue":7},{"secretKey":"NAME","secretValue":null,"secretValueHidden":true}]}`)
	f.Add(200, `{"accessToken":"canary-token","expiresIn":-5}`)
	f.Add(404, `{"message":"Route GET:/canary not found"}`)
	f.Add(422, `{"message":[{"path":["canary"]}],"error":"ValidationFailure"}`)
	f.Add(403, `{"error":"TokenError","message":"canary"}`)
	client, err := New(Settings{SiteURL: "https://manager.test", ClientID: "id", ClientSecret: secrets.NewValue("secret")}, outbound.Options{})
	if err != nil {
		f.Fatal(err)
	}
	asked := secrets.ManagerReference{Project: "p", Environment: "e", Name: "NAME"}
	f.Fuzz(func(t *testing.T, status int, body string) {
		answer, err := client.judge(status, http.Header{}, []byte(body))
		errs := []error{err}
		if err == nil {
			errs = append(errs, client.take(answer, nil))
			found := folder{secrets: map[string][]item{}, imports: map[string]item{}}
			if _, _, ok := found.take(answer.body); ok {
				value, problem := found.value(asked)
				if problem == nil && strings.ContainsRune(value.Reveal(), 0) {
					t.Fatalf("%q gave a value with NUL", body)
				}
				if problem != nil {
					errs = append(errs, problem)
				}
			}
		}
		for _, err := range errs {
			if err != nil && fault.CodeOf(err) == "internal.error" {
				t.Fatalf("%d %q is no fault: %v", status, body, err)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Fatalf("%v shows what the server said", err)
			}
		}
	})
}
