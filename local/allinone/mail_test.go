package allinone_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// postbox is an SMTP server that keeps what it takes.
type postbox struct {
	mu   sync.Mutex
	took []string // guarded by mu
}

func (p *postbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &delivery{p}, nil }

type delivery struct{ p *postbox }

func (*delivery) Mail(string, *smtp.MailOptions) error { return nil }

func (*delivery) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"}
	}
	return nil
}

func (d *delivery) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	d.p.mu.Lock()
	defer d.p.mu.Unlock()
	d.p.took = append(d.p.took, string(text))
	return err
}

func (*delivery) Reset() {}

func (*delivery) Logout() error { return nil }

// TestMessagesLeaveTheServer: an e-mail by SMTP, and a notice to a webhook, from a server as people run it.
func TestMessagesLeaveTheServer(t *testing.T) {
	box, l := &postbox{}, must(net.Listen("tcp", "127.0.0.1:0"))
	server := smtp.NewServer(box)
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	signatures, told := make(chan string, 10), make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		signatures <- r.Header.Get("Berth-Signature")
		body, _ := io.ReadAll(r.Body) // what was cut is not what the test demands
		told <- r.Header.Get("Berth-Event") + " " + string(body)
	}))
	t.Cleanup(hook.Close)
	p := embedded(t, t.TempDir(), freshKey(), map[string]string{"SMTP_HOST": "127.0.0.1", "SMTP_PORT": fmt.Sprint(l.Addr().(*net.TCPAddr).Port), "SMTP_SENDER": "Berth <berth@example.org>"})
	ada := p.person()
	ada.setUp()
	if setup := ada.ask(200, "GET", "/settings/email", ""); setup["enabled"] != true || setup["security"] != "offered" {
		t.Errorf("e-mail is %v", setup)
	}
	if sent := ada.ask(202, "POST", "/settings/email/test?wait=60s", `{"to":"ada@example.org"}`); sent["state"] != "sent" || !strings.HasPrefix(sent["answer"].(string), "250 ") {
		t.Errorf("the test message: %v", sent)
	}
	if sent := ada.ask(202, "POST", "/settings/email/test?wait=60s", `{"to":"nobody@example.org"}`); sent["state"] != "failed" || !strings.Contains(sent["answer"].(string), "no such mailbox") {
		t.Errorf("the one to nobody: %v", sent)
	}
	box.mu.Lock()
	if len(box.took) != 1 || !strings.Contains(box.took[0], "Subject: Test message from Berth\r\n") {
		t.Errorf("the mail server has %q", box.took)
	}
	box.mu.Unlock()
	ada.ask(200, "PUT", "/integrations/webhook-ops", fmt.Sprintf(`{"enabled":true,"settings":{"url":%q,"secret":"canary-secret-of-a-hook"}}`, hook.URL+"/x"))
	if tried := ada.ask(200, "POST", "/integrations/webhook-ops/test", ""); tried["ok"] != true {
		t.Errorf("the webhook: %v", tried)
	}
	if signature := <-signatures; !strings.HasPrefix(signature, "sha256=") {
		t.Errorf("it is signed %q", signature)
	}
	<-told
	repository := ada.ask(201, "POST", "/repositories", `{"name":"apps","url":"http://127.0.0.1:1/apps.git","branch":"main"}`)["id"]
	stack := ada.ask(201, "POST", "/stacks", fmt.Sprintf(`{"name":"shop","repository_id":%q,"path":"shop"}`, repository))["id"]
	ada.ask(202, "POST", fmt.Sprintf("/stacks/%s/sync", stack), "")
	select {
	case notice := <-told:
		if !strings.HasPrefix(notice, "deployment_failed ") || !strings.Contains(notice, `"The deployment of shop failed"`) || !strings.Contains(notice, "http://127.0.0.1:8090/deployments/dep_") {
			t.Errorf("the webhook is told %s", notice)
		}
	case <-time.After(wait):
		t.Errorf("nobody is told of a deployment that failed\n%s", p.log)
	}
	if strings.Contains(p.log.String(), "canary-secret-of-a-hook") {
		t.Error("the secret is in the log")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
