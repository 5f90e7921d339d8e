package store_test

import (
	"fmt"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
)

// delivery is one that asks for a look, known to its host as told.
func (y *yard) delivery(host, digest string) repositories.Delivery {
	at := y.tick()
	return repositories.Delivery{ID: core.DeliveryID(core.NewID(core.PrefixDelivery, at)), Repository: "rep_1", Provider: repositories.ProviderGitHub, HostID: host, Digest: digest,
		Event: "push", Ref: "refs/heads/main", Commit: core.Commit("c-" + host), Result: repositories.DeliveryAccepted, Reason: "pushed", ReceivedAt: at}
}

func TestADeliveryIsOneTransactionAndARepeatNone(t *testing.T) {
	y := openYard(t)
	first, err := y.AddDelivery(t.Context(), y.delivery("1", "d1"))
	y.must(err)
	asked := func() repositories.Repository {
		r, err := y.Repository(t.Context(), "rep_1")
		y.must(err)
		return r
	}
	if r := asked(); !r.AskedAt.Equal(first.ReceivedAt) || !r.HookedAt.Equal(first.ReceivedAt) || r.AskedBy != "webhook" {
		t.Errorf("the repository is %+v", r)
	}
	for name, again := range map[string]repositories.Delivery{"the host's identifier": y.delivery("1", "d2"), "the signed body": y.delivery("2", "d1")} {
		got, err := y.AddDelivery(t.Context(), again)
		y.must(err)
		if r := asked(); got.ID != first.ID || got.Result != repositories.DeliveryRepeated || !r.AskedAt.Equal(first.ReceivedAt) {
			t.Errorf("again by %s: %+v, %+v", name, got, r)
		}
	}
	other := y.delivery("1", "")
	other.Provider = repositories.ProviderGitLab // calls another one the same
	if got, err := y.AddDelivery(t.Context(), other); err != nil || got.Result != repositories.DeliveryAccepted {
		t.Errorf("another host: %+v, %v", got, err)
	}
	ignored := y.delivery("3", "d3")
	ignored.Result = repositories.DeliveryIgnored
	before := asked().AskedAt
	if _, err := y.AddDelivery(t.Context(), ignored); err != nil || !asked().AskedAt.Equal(before) {
		t.Errorf("one that is ignored asked for a look: %v", err)
	}
	lost := y.delivery("4", "d4")
	lost.Repository = "rep_none"
	_, err = y.AddDelivery(t.Context(), lost)
	y.refused("of no repository", err, "repository.not_found")
}

func TestDeliveriesAreSettledByTheLookThatTheyAskedFor(t *testing.T) {
	y := openYard(t)
	for i := range 3 {
		_, err := y.AddDelivery(t.Context(), y.delivery(fmt.Sprint(i), ""))
		y.must(err)
	}
	list, err := y.DeliveryList(t.Context(), "rep_1", core.Page{Limit: 2})
	y.must(err)
	if len(list.Items) != 2 || list.Next == "" || list.Items[0].HostID != "2" {
		t.Fatalf("listed: %+v", list)
	}
	until := list.Items[1].ReceivedAt
	if d, ok, err := y.Announcement(t.Context(), "rep_1", until); err != nil || !ok || d.HostID != "1" {
		t.Errorf("announced by %+v, %v, %v", d, ok, err)
	}
	y.must(y.SettleDeliveries(t.Context(), "rep_1", until, "done", y.tick()))
	if d, ok, err := y.Announcement(t.Context(), "rep_1", until); err != nil || ok {
		t.Errorf("announced by %+v, %v, %v", d, ok, err)
	}
	newest, err := y.Delivery(t.Context(), "rep_1", list.Items[0].ID)
	y.must(err)
	settled, err := y.Delivery(t.Context(), "rep_1", list.Items[1].ID)
	y.must(err)
	if !newest.LookedAt.IsZero() || settled.LookedAt.IsZero() || settled.Outcome != "done" {
		t.Errorf("the newest is %+v, the one before %+v", newest, settled)
	}
	_, err = y.Delivery(t.Context(), "rep_2", settled.ID)
	y.refused("of another repository", err, "webhook.delivery_not_found")
}

func TestAnUntoldCommitIsNotedOnlyWhereDeliveriesCame(t *testing.T) {
	y := openYard(t)
	noted := func(commit core.Commit) bool {
		y.must(y.SetUnannounced(t.Context(), "rep_1", commit, y.tick()))
		r, err := y.Repository(t.Context(), "rep_1")
		y.must(err)
		return r.Unannounced()
	}
	if noted("c9") {
		t.Error("noted where none ever came")
	}
	_, err := y.AddDelivery(t.Context(), y.delivery("1", ""))
	y.must(err)
	if noted("c-1") {
		t.Error("noted though it was told of")
	}
	if !noted("c9") {
		t.Error("not noted")
	}
	_, err = y.AddDelivery(t.Context(), y.delivery("2", ""))
	y.must(err)
	if r, err := y.Repository(t.Context(), "rep_1"); err != nil || r.Unannounced() {
		t.Errorf("one came again: %+v, %v", r, err)
	}
}

func TestTheNewestDeliveriesAreKept(t *testing.T) {
	y := openYard(t)
	for i := range repositories.MaxDeliveries + 3 {
		_, err := y.AddDelivery(t.Context(), y.delivery(fmt.Sprint(i), ""))
		y.must(err)
	}
	list, err := y.DeliveryList(t.Context(), "rep_1", core.Page{Limit: core.MaxPage})
	y.must(err)
	if len(list.Items) != repositories.MaxDeliveries || list.Items[len(list.Items)-1].HostID != "3" {
		t.Errorf("%d are kept, the oldest is %s", len(list.Items), list.Items[len(list.Items)-1].HostID)
	}
}

// TestTheNewestSecretIsTheOneThatCameLast, also when the clock stands still or was set back.
func TestTheNewestSecretIsTheOneThatCameLast(t *testing.T) {
	y := openYard(t)
	at := y.tick()
	var made []string
	for i := range 6 {
		secret := repositories.WebhookSecret{ID: core.WebhookSecretID(core.NewID("whs", at)), MadeAt: at.Add(-time.Duration(i/3) * time.Hour)}
		w, err := y.AddWebhookSecret(t.Context(), "rep_1", secret, envelope(t), access.System)
		y.must(err)
		if made = append(made, string(secret.ID)); len(w.Secrets) != min(i+1, repositories.MaxSecrets) || string(w.Secrets[0].ID) != made[i] {
			t.Fatalf("after %d: %+v, want %s first", i+1, w.Secrets, made[i])
		}
	}
	w, err := y.DropPreviousSecret(t.Context(), "rep_1", access.System)
	y.must(err)
	if len(w.Secrets) != 1 || string(w.Secrets[0].ID) != made[5] {
		t.Errorf("left are %+v, want %s", w.Secrets, made[5])
	}
}

func TestAWebhookThatIsTurnedOffTakesNothing(t *testing.T) {
	y := openYard(t)
	for i := range 2 {
		_, err := y.AddWebhookSecret(t.Context(), "rep_1", repositories.WebhookSecret{ID: core.WebhookSecretID(fmt.Sprint("whs_", i)), MadeAt: y.tick(), MadeBy: "ada"}, envelope(t), someone)
		y.must(err)
	}
	_, err := y.AddDelivery(t.Context(), y.delivery("1", "d1"))
	y.must(err)
	for range 2 { // the second time nothing is left to do
		w, err := y.DropSecrets(t.Context(), "rep_1", someone)
		y.must(err)
		if len(w.Secrets) != 0 || !w.Repository.HookedAt.IsZero() || w.Repository.PollEvery(time.Second, y.tick()) != time.Second {
			t.Errorf("it is %+v", w)
		}
	}
	if y.audits("webhook.disable") != 1 {
		t.Errorf("it is in the audit %d times", y.audits("webhook.disable"))
	}
	_, err = y.DropSecrets(t.Context(), "rep_none", someone)
	y.refused("of no repository", err, "repository.not_found")
}
