// The command palette: what /search finds, in a dialog over the page that one is on. Without
// script, or in a browser without dialogs, its button is a plain link to that page.
"use strict";
(() => {
  const box = document.getElementById("palette");
  const keys = document.getElementById("keys");
  if (!box?.showModal) return;
  const field = box.querySelector("input");
  const list = box.querySelector("[role=listbox]");
  const told = box.querySelector("[data-told]");
  const single = keys.querySelector("#keys-single");
  let at = -1;
  let typing = 0;
  let asking = null;
  let shown = null; // what was searched for when the list was filled; null: nothing yet

  function choose(to) {
    const options = [...list.children];
    at = options.length ? (to + options.length) % options.length : -1;
    options.forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    if (at < 0) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", options[at].id);
    options[at].scrollIntoView({ block: "nearest" });
  }

  // Each option keeps the link or the form of the page that it came from, and takes it when chosen.
  function optionOf(act, i) {
    const option = document.createElement("li");
    option.id = `palette-hit-${i}`;
    option.className = "found found-act";
    option.setAttribute("role", "option");
    option.append(...[...act.childNodes].map((node) => document.importNode(node, true)));
    option.addEventListener("click", () => take(act));
    return option;
  }

  function take(act) {
    box.close();
    if (!act.form) return location.assign(act.getAttribute("href"));
    const form = document.importNode(act.form, true);
    form.hidden = true;
    document.body.append(form);
    form.requestSubmit();
  }

  async function ask() {
    const q = field.value.trim();
    asking?.abort();
    asking = new AbortController();
    try {
      const answer = await fetch(`/search?q=${encodeURIComponent(q)}`, { signal: asking.signal, cache: "no-store" });
      if (answer.redirected) return void fail("You are signed out. Load the page again.");
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      fill(new DOMParser().parseFromString(await answer.text(), "text/html"));
      shown = q;
    } catch (failure) {
      if (failure.name !== "AbortError") fail("The server does not answer. Type on to try again.");
    }
  }

  function fail(why) {
    list.replaceChildren();
    choose(-1);
    field.setAttribute("aria-expanded", "false");
    told.textContent = why;
    shown = null;
  }

  function fill(page) {
    const acts = [...page.querySelectorAll("[data-hit]")];
    list.replaceChildren(...acts.map(optionOf));
    field.setAttribute("aria-expanded", String(acts.length > 0));
    told.textContent = acts.length ? `${acts.length} found` : "Nothing is named so";
    choose(0);
  }

  function open() {
    if (box.open) return field.select();
    if (keys.open) keys.close();
    field.value = "";
    told.textContent = "";
    list.replaceChildren();
    box.showModal();
    field.focus();
    ask();
  }

  field.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(ask, 100);
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") choose(at + 1);
    else if (event.key === "ArrowUp") choose(at - 1);
    else if (event.key === "Escape") box.close(); // a field of its kind would only be emptied
    else return;
    event.preventDefault();
  });
  // Enter and the "go" of a phone's keyboard both submit; not all of those tell the key.
  field.form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearTimeout(typing);
    const q = field.value.trim();
    if (shown !== q) await ask(); // what is taken is what was typed, not what was shown before
    if (shown === q && box.open) list.children[at]?.click();
  });
  for (const dialog of [box, keys]) dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  box.addEventListener("close", () => {
    if (box.open) return; // browsers tell it a frame later: it may be open again
    clearTimeout(typing);
    asking?.abort();
  });
  box.querySelector("[data-keys]").addEventListener("click", () => {
    box.close();
    keys.showModal();
  });

  for (const link of document.querySelectorAll("[data-palette]")) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open();
    });
  }

  // Single keys can be switched off, for people whose speech or hands set them off by mistake.
  const kept = "berth.single-keys";
  try {
    single.checked = localStorage.getItem(kept) !== "off";
  } catch {
    // the browser keeps nothing: they count
  }
  single.addEventListener("change", () => {
    try {
      localStorage.setItem(kept, single.checked ? "on" : "off");
    } catch {
      // it counts until the page is left
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      return open();
    }
    const elsewhere = event.target.closest?.("input, select, textarea, [contenteditable], dialog");
    if (event.ctrlKey || event.metaKey || elsewhere || !single.checked) return;
    if (event.key === "?" && !keys.open) keys.showModal();
    if (event.key !== "/") return;
    event.preventDefault();
    const finder = document.querySelector("main [role=search] input[type=search]");
    if (finder) finder.select();
    else open();
  });
})();
