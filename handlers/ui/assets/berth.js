// What the pages gain where script runs: regions that follow the server, local times, copy
// buttons, logs that go on. Without it every page still works.
"use strict";
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));

  // Times: the server writes UTC and a coarse distance; the viewer's own zone is known here.
  const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
  const clock = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  const inUTC = (iso) => new Date(iso).toUTCString().replace(/^\w+, 0?(\d+ \w+ \d+) (\S+) GMT$/, "$1, $2 UTC"); // as the server writes it
  const second = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

  function distance(ms) {
    const minutes = Math.floor(ms / 60000);
    if (minutes < 1) return "<1 min";
    if (minutes < 60) return `${minutes} min`;
    const hours = Math.floor(minutes / 60);
    return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
  }

  function ago(then) {
    const ms = Date.now() - then;
    if (ms < -60000) return `in ${distance(-ms)}`;
    if (ms < 60000) return "just now";
    return ms < 30 * 86400000 ? `${distance(ms)} ago` : day.format(then);
  }

  function due(ms) {
    return ms < 60000 ? "in a moment" : `in ${distance(ms)}`;
  }

  function tellTime(how, then) {
    if ("exactly" in how) return exact.format(then);
    if ("clock" in how) return clock.format(then);
    if ("second" in how) return second.format(then);
    if ("for" in how) return distance(Math.max(0, Date.now() - then));
    return "due" in how ? due(then - Date.now()) : ago(then);
  }

  function tellOne(time) {
    if (time.dataset.utc && "second" in time.dataset) return; // it was told, and does not change
    const then = Date.parse(time.dateTime);
    if (Number.isNaN(then)) return;
    if (!time.dataset.utc) {
      time.dataset.utc = time.title;
      time.title = `${exact.format(then)}\n${time.title}`;
    }
    const text = tellTime(time.dataset, then);
    if (time.textContent !== text) time.textContent = text;
  }

  function tellTimes() {
    for (const time of $$("time")) tellOne(time);
  }

  // A log says where another day begins: the server in UTC, and here it is the viewer's.
  const newest = new WeakMap(); // by log: the day of its last line

  function dayOf(line) {
    const time = line && $("time.at", line);
    return time ? day.format(Date.parse(time.dateTime)) : "";
  }

  function tellDays(list, lines) {
    for (const line of lines) {
      const on = dayOf(line);
      if (!on) continue;
      if (newest.get(list) === on) delete line.dataset.day;
      else line.dataset.day = on;
      newest.set(list, on);
    }
  }

  // What is said in the corner, to people who look and to people who listen.
  const corner = $("#link");
  let saidUntil = 0;

  function say(text, { link, lasting } = {}) {
    if (!corner) return;
    corner.replaceChildren(text);
    if (link) {
      const a = document.createElement("a");
      a.href = link.href;
      if (link.aside) a.target = "_blank";
      a.textContent = link.text;
      corner.append(" ", a);
    }
    clearTimeout(saidUntil);
    if (!lasting) saidUntil = setTimeout(() => (failures > 1 ? lost() : corner.replaceChildren()), 3000);
  }

  // morph turns one element into another in place: what did not change keeps its node, and with
  // it focus, scrolling and what was typed.
  const touched = new WeakSet(); // what the reader opened or closed stays so
  document.addEventListener("click", ({ target }) => {
    const summary = target.closest?.("summary");
    if (summary) touched.add(summary.parentElement);
  });
  const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.dataset.key || node.id : "");
  const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

  function morph(from, to) {
    if (from.nodeType !== Node.ELEMENT_NODE) {
      if (from.data !== to.data) from.data = to.data;
      return;
    }
    if (from.isEqualNode(to) || from.matches("input, select, textarea, [data-own]")) return;
    if (from.nodeName === "TIME" && from.dateTime === to.dateTime) return;
    for (const { name } of [...from.attributes]) {
      if (!to.hasAttribute(name) && name !== "open" && name !== "aria-busy") from.removeAttribute(name);
    }
    for (const { name, value } of to.attributes) {
      if (from.getAttribute(name) !== value && !(name === "open" && touched.has(from))) from.setAttribute(name, value);
    }
    morphChildren(from, to);
  }

  function morphChildren(from, to) {
    const wanted = new Set([...to.children].map(keyOf));
    for (const child of [...from.children]) {
      if (keyOf(child) && !wanted.has(keyOf(child))) child.remove();
    }
    let at = from.firstChild;
    for (const next of [...to.childNodes]) {
      const key = keyOf(next);
      if (key && at && keyOf(at) !== key) {
        const known = [...from.children].find((child) => keyOf(child) === key);
        while (known && at && at !== known && at.nodeType !== Node.ELEMENT_NODE) at = without(at);
        if (known && at !== known) {
          move(from, known, at);
          at = known;
        }
      }
      if (at && alike(at, next)) {
        morph(at, next);
        at = at.nextSibling;
      } else {
        from.insertBefore(document.importNode(next, true), at);
      }
    }
    while (at) at = without(at);
  }

  // without takes a node away and returns the one after it.
  function without(node) {
    const { nextSibling } = node;
    node.remove();
    return nextSibling;
  }

  // move keeps the focus where the browser can.
  function move(parent, node, before) {
    if (parent.moveBefore) parent.moveBefore(node, before);
    else parent.insertBefore(node, before);
  }

  // Logs keep to their end as long as that is what their reader looks at.
  const atEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 24;

  function keepingEnd(box, change) {
    const stays = box && atEnd(box);
    change();
    if (stays) box.scrollTop = box.scrollHeight;
  }

  // Following: the page is fetched again and its marked regions are put in place. Only what
  // changed comes over the network: the server knows the last page by its tag.
  const unsaid = () => {
    const url = new URL(location.href);
    url.searchParams.delete("said");
    return url;
  };
  let pace = Number(document.body.dataset.live) || 0;
  // A page with a form that is not followed is watched all the same: whoever types should know that nothing can be sent.
  let watched = !pace && $(".who") && $("main form[method=post]") ? 30000 : 0;
  pace ||= watched;
  let tag = "";
  let failures = 0;
  let turn = 0;
  let looking = false;
  let stale = false; // something was stored since the page was looked at
  let rest = 0; // milliseconds that the server is left alone between two looks
  let looked = 0;
  let left = 0; // the pace of a page that is not followed because nobody is signed in

  function addressNow() {
    if (watched) return new URL("/healthz", location.href);
    if (document.body.dataset.look) return new URL(document.body.dataset.look, location.href);
    const url = unsaid();
    const list = $("[data-append]");
    if (list) url.searchParams.set("after", list.dataset.append);
    return url;
  }

  async function look() {
    if (looking) return;
    looking = true;
    stale = false;
    clearTimeout(turn);
    const url = addressNow();
    const began = performance.now();
    try {
      const answer = await fetch(url, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store", signal: AbortSignal.timeout(15000) });
      if (answer.status >= 500 || answer.status === 429) throw new Error(`status ${answer.status}`);
      if (failures > 1) connected();
      failures = 0;
      if (watched) return;
      if (answer.redirected || answer.status >= 400) return void leave(answer);
      if (answer.status !== 304) put(await answer.text(), answer.headers.get("ETag") || "");
    } catch {
      failures += 1;
      if (failures > 1) lost();
    } finally {
      looking = false;
      const repeated = began - looked < 1000; // changes that go on and on are looked at less and less often
      looked = performance.now();
      rest = Math.max(repeated ? Math.min(1500, 1.6 * rest) : 150, Math.min(5000, 4 * (looked - began)));
      tellTimes();
      plan(addressNow().search !== url.search ? 50 : 0);
    }
  }

  // A connection that is lost is told where nobody overlooks it, and what is typed meanwhile stays.
  function lost() {
    document.documentElement.dataset.lost = "yes";
    say("Connection lost. Trying again…", { lasting: true });
  }

  function connected() {
    delete document.documentElement.dataset.lost;
    say("Connected again.");
  }

  // signIn leads to where people sign in, beside this page: what was typed here stays.
  function signIn(why) {
    say(why, { link: { href: "/login?next=%2Fprofile", text: "Sign in in another tab", aside: true }, lasting: true });
  }

  // leave stops following a page that is not for the reader any more.
  function leave(answer) {
    const signedOut = new URL(answer.url).pathname === "/login";
    left = signedOut ? pace : 0;
    pace = 0;
    news?.abort();
    if (signedOut) signIn("You are signed out.");
    else say("This page is not there any more.", { link: { href: location.href, text: "Load it again" }, lasting: true });
  }

  function put(html, newTag) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    tag = newTag;
    seen = fresh.body.dataset.seen || "";
    pace = Number(fresh.body.dataset.live) || 0;
    document.title = fresh.title;
    const before = standing();
    for (const region of $$("[data-live][id]")) {
      const next = fresh.getElementById(region.id);
      if (next) morph(region, next);
    }
    countTicked();
    const now = standing();
    if (before && now && before !== now) say(now);
    const list = $("[data-append]");
    const more = list && fresh.getElementById(list.id);
    if (!more) return;
    const lines = [...more.children].map((line) => document.importNode(line, true));
    tellDays(list, lines);
    keepingEnd(list.closest("[data-follow]"), () => list.append(...lines));
    list.dataset.append = more.dataset.append;
    $("#log-empty")?.toggleAttribute("hidden", list.childElementCount > 0);
  }

  // standing is how the thing that the page is about is, in words: a change of it is said to people who listen.
  function standing() {
    const heading = $("[data-live] h1");
    const badge = heading && $(".badge", heading);
    const name = badge && $("bdi", heading);
    return name ? `${name.textContent}: ${badge.textContent.trim()}` : "";
  }

  function plan(soon = 0) {
    clearTimeout(turn);
    if (!pace || document.hidden) return;
    let pause = soon || (told && looked ? Math.max(pace, 10000) : pace);
    if (stale) pause = Math.max(0, looked + rest - performance.now());
    if (failures) pause = Math.min(30000, 1000 * 2 ** failures) * (0.5 + Math.random() / 2);
    turn = setTimeout(look, pause);
    if (!failures) listen();
  }

  // News: the server tells when something was stored, and the page looks at once. A page without news, because
  // the server's host cannot stream or because something between is in the way, looks now and then instead. Browsers
  // open six connections to a server without TLS: a page that nobody sees has none, and where pages can agree, one listens for all.
  const channel = window.BroadcastChannel ? new BroadcastChannel("berth-events") : null;
  let news = null; // the connection, or the wish for one
  let told = false; // news come
  let seen = document.body.dataset.seen || ""; // the mark of what was stored before this page was read
  let heard = ""; // where this page is the one that listens: the mark of the newest event
  let again = 0; // when it may be tried again
  let misses = 0;

  function hear(event) {
    if (event.of.every((of) => of === "logs") && !$("[data-append]")) return;
    if (watched) return;
    stale = true;
    if (!looking && !failures) plan();
  }

  // later reports whether a mark is of something that was stored after another, or may be.
  function later(one, other) {
    const [whose, count] = one.split("-");
    const [others, before] = other.split("-");
    return whose !== others || Number(count) > Number(before);
  }

  async function follow(signal) {
    heard = seen;
    const answer = await fetch(document.body.dataset.events, { signal, cache: "no-store", headers: { Accept: "text/event-stream", "Last-Event-ID": seen } });
    if (answer.headers.get("X-Host-Limit")) again = Infinity;
    if (!answer.ok || answer.redirected || again === Infinity) return;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ; ) {
      const silence = setTimeout(() => news?.abort(), 40000); // a heart-beat comes each 15 s
      const { value, done } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      told = true;
      channel?.postMessage({ alive: heard });
      const lines = (text + value).split("\n");
      text = lines.pop();
      for (const line of lines) {
        if (line.startsWith("id: ")) heard = line.slice(4);
        if (!line.startsWith("data: ")) continue;
        const event = JSON.parse(line.slice(6));
        channel?.postMessage(event);
        hear(event);
      }
    }
  }

  async function listen() {
    if (!document.body.dataset.events || news || !pace || document.hidden || performance.now() < again) return;
    const mine = (news = new AbortController());
    const began = performance.now();
    const run = () => (mine.signal.aborted ? undefined : follow(mine.signal));
    try {
      // Locks are for secure pages only.
      if (navigator.locks && channel) await navigator.locks.request("berth-events", { signal: mine.signal }, run);
      else await run();
    } catch {
      // it is tried again, and until then the page looks by itself
    }
    const lasted = told && performance.now() - began > 5000;
    if (news === mine) news = null;
    told = false;
    heard = "";
    if (document.hidden || !pace) return;
    misses = lasted ? 0 : misses + 1;
    again = Math.max(again, performance.now() + (lasted ? 500 : Math.min(60000, 1000 * 2 ** misses)));
    look();
  }

  channel?.addEventListener("message", ({ data }) => {
    if (data.ask) {
      if (told && news && heard) channel.postMessage({ alive: heard });
    } else if ("alive" in data) {
      told = !document.hidden;
      if (told && !looked && pace && later(data.alive, seen)) hear({ of: ["others"] });
    } else if (!document.hidden && pace) hear(data);
  });
  if (pace && !document.hidden) channel?.postMessage({ ask: true }); // another page may have heard of something meanwhile

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      clearTimeout(turn);
      news?.abort();
    } else if (pace || left) {
      pace ||= left;
      left = 0;
      look();
    }
  });
  window.addEventListener("pagehide", () => news?.abort());
  window.addEventListener("online", () => pace && look());

  // Forms that only ask: typing is enough. Forms that do: once is enough.
  function ask(form) {
    const url = new URL(form.getAttribute("action") || location.pathname, location.href);
    for (const [name, value] of new FormData(form)) if (value) url.searchParams.set(name, value);
    if (!$("[data-live][id]")) return location.assign(url);
    history.replaceState(null, "", url);
    if (watched) watched = pace = 0; // it is looked at once
    tag = "";
    return look();
  }

  for (const form of $$("form[data-auto]")) {
    let typing = 0;
    form.addEventListener("input", (event) => {
      clearTimeout(typing);
      typing = setTimeout(() => ask(form), event.target.nodeName === "SELECT" ? 0 : 180);
    });
    for (const button of $$("[data-plain]", form)) button.hidden = true;
  }

  // What is done to several is offered once some are ticked, and how many are is said. What is in data-own is the script's.
  function countTicked() {
    const form = $("#bulk");
    if (!form) return;
    const ticked = [...form.elements].filter((field) => field.checked);
    const count = $("[data-none]", form);
    const text = ticked.some((field) => field.name === "all") ? "all chosen" : ticked.length ? `${ticked.length} chosen` : count.dataset.none;
    if (count.textContent === text) return;
    count.textContent = text;
    count.toggleAttribute("data-some", ticked.length > 0);
    $(".bulk-acts", form).hidden = ticked.length === 0;
  }
  document.addEventListener("change", ({ target }) => target.form?.id === "bulk" && countTicked());
  window.addEventListener("pageshow", countTicked); // a browser that comes back ticks what was ticked

  // A form that could not arrive is not sent: the browser would put a page of its own in place of what was typed.
  async function mayArrive() {
    try {
      const answer = await fetch("/api/custom/me", { cache: "no-store", signal: AbortSignal.timeout(8000) });
      if (answer.status === 401) return void signIn("You are signed out, so nothing was sent. What you typed is still here: sign in, then send it again.");
      return true;
    } catch {
      say("There is no connection to the server, so nothing was sent. What you typed is still here: send it again in a moment.", { lasting: true });
    }
  }

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    const { submitter } = event;
    if (form.method !== "post") return;
    if (form.dataset.sent === "now") return void (form.dataset.sent = "yes");
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "yes";
    submitter?.setAttribute("aria-busy", "true");
    if (!$(".who") || form.getAttribute("action") === "/logout") return;
    event.preventDefault();
    if (await mayArrive()) {
      form.dataset.sent = "now";
      form.requestSubmit(submitter);
    } else {
      delete form.dataset.sent;
      submitter?.removeAttribute("aria-busy");
    }
  });
  window.addEventListener("pageshow", () => {
    for (const form of $$("form[data-sent]")) delete form.dataset.sent;
    for (const button of $$("[aria-busy]")) button.removeAttribute("aria-busy");
  });

  // Copying: the clipboard is for secure pages only, so the selection has to do elsewhere.
  async function copy(text, from) {
    if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
    getSelection().selectAllChildren(from);
    if (!document.execCommand("copy")) throw new Error("refused");
    getSelection().removeAllRanges();
  }

  for (const button of $$("[data-copy]")) {
    const from = document.getElementById(button.dataset.copy);
    const word = $("span", button);
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await copy(from.textContent, from);
        word.textContent = "Copied";
        say("Copied.");
      } catch {
        say("The browser does not permit copying. Select the text instead.");
      }
      await wait(2000);
      word.textContent = "Copy";
    });
  }

  // Logs of compose services: the text of a stream that lasts, line by line.
  const shownLines = 5000;

  // What colours a line comes as \u001b[1;31m…\u001b[m and nothing else does: the server saw to it. Each piece is text.
  function colour(line, text) {
    let look = "";
    for (const [i, part] of text.split(/\u001b\[([0-9;]*)m/).entries()) {
      if (i % 2) look = part;
      else if (part && look) {
        const span = document.createElement("span");
        span.className = look.split(";").map((n) => `sgr-${n}`).join(" ");
        span.textContent = part;
        line.append(span);
      } else line.append(part);
    }
  }

  // What comes before the first space is when the line was written; it is empty where nobody tells.
  function timeOf(iso) {
    const time = document.createElement(iso ? "time" : "span");
    time.className = "at is-clock";
    if (!iso) return time;
    time.dateTime = iso;
    time.title = inUTC(iso);
    time.dataset.second = "";
    tellOne(time);
    return time;
  }

  function lineOf(text) {
    const end = text.indexOf(" ");
    const line = document.createElement("span");
    line.className = "line";
    colour(line, text.slice(end + 1));
    const item = document.createElement("li");
    item.append(timeOf(text.slice(0, end)), line);
    return item;
  }

  function empty(list) {
    list.replaceChildren();
    newest.delete(list);
  }

  function addLines(list, texts, instead = false) {
    const lines = texts.map(lineOf);
    keepingEnd(list.closest("[data-follow]"), () => {
      if (instead) empty(list);
      tellDays(list, lines);
      list.append(...lines);
      while (list.childElementCount > shownLines) list.firstElementChild.remove();
      const first = list.firstElementChild;
      if (dayOf(first)) first.dataset.day = dayOf(first);
    });
    $("#log-empty")?.toggleAttribute("hidden", list.childElementCount > 0);
  }

  // It is true when the server's host cannot stream: then what came is all that there is by now.
  async function stream(address, list, signal) {
    const answer = await fetch(address, { signal, cache: "no-store" });
    if (!answer.ok || answer.redirected) throw new Error(`status ${answer.status}`);
    if (answer.headers.get("X-Host-Limit") === "stream") {
      addLines(list, (await answer.text()).split("\n").slice(0, -1), true);
      return true;
    }
    empty(list);
    let rest = "";
    for (let reader = answer.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
      const { value, done } = await reader.read();
      if (done) return false;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      addLines(list, lines);
    }
  }

  for (const button of $$("[data-stream]")) {
    const list = $("#log");
    let stop = null;
    button.hidden = false;
    button.addEventListener("click", async () => {
      if (stop) return stop.abort();
      stop = new AbortController();
      const { signal } = stop;
      button.setAttribute("aria-pressed", "true");
      const box = list.closest("[data-follow]");
      box.scrollTop = box.scrollHeight;
      for (let tries = 0; !signal.aborted; tries += 1) {
        if (tries > 0) say("The log stopped. Trying again…", { lasting: true });
        if (tries > 0) await wait(Math.min(15000, 1000 * 2 ** tries));
        try {
          while (!signal.aborted && (await stream(button.dataset.stream, list, signal))) {
            if (tries > 0) corner?.replaceChildren();
            tries = 0;
            do await wait(2000);
            while (document.hidden && !signal.aborted);
          }
        } catch {
          // said above, before the next try
        }
      }
      corner?.replaceChildren();
      button.setAttribute("aria-pressed", "false");
      stop = null;
    });
  }

  // Times are there, shown or not, so that a log which is followed goes on. The address says it, and the file's does.
  for (const choice of $$("[data-times]")) {
    const box = document.getElementById(choice.dataset.times);
    const telling = (href) => {
      const url = new URL(href, location.href);
      if (choice.checked) url.searchParams.set("times", "off");
      else url.searchParams.delete("times");
      return url;
    };
    choice.addEventListener("change", () => {
      keepingEnd(box, () => box.toggleAttribute("data-untimed", choice.checked));
      history.replaceState(history.state, "", telling(location.href));
      const file = $("#log-file");
      if (file) file.href = telling(file.href);
    });
  }
  for (const button of $$("[data-wrap]")) {
    const box = document.getElementById(button.dataset.wrap);
    button.hidden = false;
    button.addEventListener("click", () => {
      const wraps = !box.toggleAttribute("data-unwrapped");
      button.setAttribute("aria-pressed", String(wraps));
    });
  }
  for (const button of $$("[data-end]")) {
    const box = document.getElementById(button.dataset.end);
    button.hidden = false;
    button.addEventListener("click", () => {
      box.scrollTop = box.scrollHeight;
      box.focus();
    });
  }

  // Menus close as menus do.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of $$(".bar-menu[open], .more[open]")) {
      menu.open = false;
      $("summary", menu).focus();
    }
  });
  document.addEventListener("click", (event) => {
    for (const menu of $$(".more[open]")) if (!menu.contains(event.target)) menu.open = false;
  });

  history.replaceState(history.state, "", unsaid()); // loading the page again is not to say it again
  for (const box of $$("[data-follow]")) if (pace || $("[data-stream]")) box.scrollTop = box.scrollHeight;
  tellTimes();
  for (const list of $$("#log")) tellDays(list, list.children);
  countTicked();
  setInterval(tellTimes, 15000);
  plan();
})();
