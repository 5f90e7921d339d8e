// Package realgitea runs a real Gitea beside tests: its pages, API, Git over HTTP and SSH, webhooks and OAuth, with a
// database and repositories that go with the test. It must not know what is tested. local/make/real-gitea.sh builds
// the program; start with Start.
package realgitea
