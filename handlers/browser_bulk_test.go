package handlers_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"berth/local/stand/browser"
)

// TestWhatIsDoneToSeveralWaitsForATick: the buttons come with the first tick and stay while the list changes under them.
// Without script they are always there.
func TestWhatIsDoneToSeveralWaitsForATick(t *testing.T) {
	w := newWatched(t)
	made := w.stacks(3)
	w.b.Open(origin + "/stacks")
	w.streams(1)
	shown := func(step, words string, buttons bool) {
		t.Helper()
		got := browser.Ask[string](w.b, `document.querySelector("#bulk [role=status]").innerText`)
		if there := browser.Ask[bool](w.b, `document.querySelector("#bulk button").checkVisibility()`); got != words || there != buttons {
			t.Errorf("%s: it says %q, and that buttons are there is %v", step, got, there)
		}
	}
	tick := func(id string) { w.must(w.b.Do(chromedp.Click(chromedp.CSS("#" + id)))) }
	shown("nothing is ticked", "or tick some to sync, pause or resume them", false)
	tick("choose-" + made[0])
	shown("one is ticked", "1 chosen", true)
	tick("choose-" + made[2])
	shown("two are ticked", "2 chosen", true)
	w.exec(`UPDATE stacks SET status = 'error', error = 'It fell over.' WHERE id = ?`, made[2])
	w.worker("a-word-to-everybody")
	w.b.Until("the broken one at the top", fmt.Sprintf(`document.querySelector("main tbody tr").dataset.key === "/stacks/%s"`, made[2]))
	shown("the list has changed", "2 chosen", true)
	w.exec(`DELETE FROM stacks WHERE id = ?`, made[2])
	w.worker("one-more-word")
	w.b.Until("two lines", `document.querySelectorAll("main tbody tr").length === 2`)
	shown("one of them is gone", "1 chosen", true)
	tick("f-all")
	shown("all are ticked", "all chosen", true)
	tick("f-all")
	tick("choose-" + made[0])
	shown("nothing is ticked any more", "or tick some to sync, pause or resume them", false)
	tick("choose-" + made[1])
	w.must(w.b.Do(chromedp.Click(chromedp.CSS("#bulk button[value=pause]"))))
	w.b.Until("the question", `document.querySelector("h1")?.innerText === "Pause 1 stack?"`)
	w.troubles()
}
