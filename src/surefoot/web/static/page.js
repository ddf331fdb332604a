// The one script of the pages on which people work: keys, a form, save, undo, search.
// Foreign text is never touched here: all of it came from the server as text.
"use strict";

const $ = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const ROOT = document.body.dataset.root; // what all addresses of these pages begin with
const SECONDS_TO_WAIT = 120; // longer than the server waits for a database that is locked, so that it can say so

// One way to send anything. What fails is said on the page, and nothing on the page is lost.
async function send(path, content) {
  try {
    const reply = await fetch(ROOT + path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(content),
      signal: AbortSignal.timeout(SECONDS_TO_WAIT * 1000),
    });
    const said = await reply.json();
    if (reply.ok) return said;
    return { error: said.hint ? `${said.error} (${said.hint})` : said.error };
  } catch (error) {
    if (error.name === "TimeoutError") return { error: `the server has not answered for ${SECONDS_TO_WAIT} seconds` };
    return { error: "the server does not answer; is its command still running?" };
  }
}

// A page of ours as nodes: passages that the server has made harmless, with their tables.
function fetched(path) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("GET", ROOT + path);
    request.responseType = "document";
    request.onloadend = () => resolve(request.status === 200 ? request.response : null);
    request.send();
  });
}

const move = (address) => location.assign(ROOT + address);
const sentence = (words) => (/[.?!]$/.test(words) ? words : `${words}.`);

function complain(words) {
  $("message").firstElementChild.textContent = words;
  $("message").hidden = !words;
}

// What takes a while says so, and for how long; the function returned ends it.
function running(words, line) {
  const start = Date.now();
  line.textContent = `${words} ...`;
  const timer = setInterval(() => (line.textContent = `${words} ... ${Math.round((Date.now() - start) / 1000)} s`), 500);
  line.setAttribute("aria-busy", "true");
  return (then = "") => {
    clearInterval(timer);
    line.removeAttribute("aria-busy");
    line.textContent = then;
  };
}

// 32 hexadecimal digits. crypto.randomUUID would not do: it is missing where a page comes without encryption.
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function post(path, content) {
  complain("");
  const { next, error } = await send(path, content);
  if (error) complain(error);
  else move(next);
}

// What the gate would say is asked for when the page is there: it may take a while.
async function askGate(line) {
  line.parentElement.hidden = false;
  const end = running("The gate decides anew", line);
  const { says, error } = await send("/gate", {});
  end(says ?? error);
  if ($("notice")) $("notice").hidden = !line.textContent;
}

// Whatever has `data-press` is clicked by its keys.
let busy = false;
document.addEventListener("keydown", (event) => {
  const at = event.target;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (busy || event.repeat || event.altKey || $("help")?.open) return;
  if (key === "Escape") {
    if (at.matches("input, textarea, select")) at.blur();
    complain("");
    return;
  }
  const withControl = event.ctrlKey || event.metaKey;
  if (at.matches("textarea") ? !(withControl && key === "Enter") : withControl) return;
  if (key === "Enter" && at.matches("button, a, summary, #words, #name, select")) return;
  if (key !== "Enter" && at.matches("select, input:not([type=radio], [type=checkbox])")) return;
  if (key.startsWith("Arrow") && at.matches("input, .wide")) return;
  if (/^Page(Up|Down)$/.test(key) && document.body.matches(".desk")) {
    const panes = all("main section").filter((pane) => pane.scrollHeight > pane.clientHeight);
    for (const pane of panes.length ? panes : [document.scrollingElement]) {
      pane.scrollBy(0, (key === "PageDown" ? 0.8 : -0.8) * pane.clientHeight);
    }
  } else {
    if (key.length === 1 && $("keys-off")?.checked) return;
    const pressed = all("[data-press]").find((one) => one.dataset.press.split(" ").includes(key) && !one.disabled);
    if (!pressed) return;
    pressed.click();
  }
  event.preventDefault();
});

// A form about one thing, or about two side by side. The field that is needed is answered by one key a side, and the
// last one saves; all others are in a panel that opens.
function atWork(form) {
  const { needed, undo, enter } = form.dataset;
  const again = form.dataset.again === "1";
  const settling = form.dataset.settling === "1";
  const panels = all(".more");
  const sides = all(".side").map((part, at) => ({
    part,
    panel: panels[at],
    name: part.getAttribute("aria-label"),
    key: part.dataset.key,
    label: part.dataset.label, // what it was called before
    value: "", // what was pressed
    also: all(".group [data-key]", part).map((one) => one.dataset.key),
    isSplit: false,
    isChanged: false,
  }));
  const buttons = all("button[value]", form);
  const axesOf = (side) => (enter ? all("[data-axis]") : all("[data-axis]", side.panel));
  const pressed = []; // sides, in order
  let now = sides.find((side) => !side.label) ?? sides[0];
  let id = newId(); // another one whenever something changes: what is sent again unchanged is one label
  let isOpen = form.dataset.open === "1" || (settling && Boolean(now.label)); // there is more to say
  let anyway = false;
  let claim = -1;
  let before = ""; // what the fields held

  const said = (side) => side.value || side.label;

  function valuesOf(side) {
    const found = {};
    for (const axis of axesOf(side)) {
      const { axis: name, kind } = axis.dataset;
      if (!name || axis.disabled) continue;
      if (kind === "text") found[name] = axis.querySelector("textarea").value;
      else if (kind === "texts") found[name] = all("textarea", axis).map((one) => one.value);
      else if (kind === "passages") found[name] = [...(found[name] ?? []), ...all(":checked", axis).map((one) => one.value)];
      else found[name] = axis.querySelector("input:checked")?.value ?? axis.querySelector(".count")?.value.trim() ?? "";
    }
    return found;
  }

  const shown = () => JSON.stringify(sides.map(valuesOf));
  const isEdited = () => shown() !== before;

  function show() {
    for (const side of sides) {
      const badge = side.part.querySelector(".value");
      if (badge) badge.textContent = said(side);
      if (badge) badge.hidden = !said(side);
      side.part.classList.toggle("now", side === now);
      side.panel.hidden = !isOpen || side !== now;
      const chosen = [said(side), ...axesOf(side).map((axis) => axis.querySelector("input[type=radio]:checked")?.value)];
      for (const axis of axesOf(side)) {
        if (axis.dataset.when) axis.hidden = axis.disabled = !chosen.includes(axis.dataset.when);
      }
      if ($("search")) $("search").hidden = $("found").hidden = !chosen.includes("answer");
    }
    document.body.classList.toggle("editing", isOpen);
    if ($("reading")) $("reading").hidden = isOpen;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === said(now)));
    if ($("active")) $("active").textContent = `${now.name}:`;
    $("more")?.setAttribute("aria-expanded", String(isOpen));
    if (!enter) form.querySelector(".save").hidden = !isOpen;
    if ($("undo")) $("undo").disabled = !undo && !pressed.length;
  }

  function goTo(side) {
    now = side;
    show();
  }

  function changed(side) {
    id = newId();
    side.isChanged = true;
    warned(false);
    complain("");
    $("status").textContent = enter && isEdited() ? "Edited: accepting saves it." : "";
  }

  function press(value) {
    now.value = value;
    if (!enter) pressed.push(now);
    id = newId();
    now.isChanged = true;
    const open = sides.find((side) => !said(side));
    if (enter || (!open && !isOpen)) {
      show();
      save();
    } else if (open && open !== now && !isOpen) {
      changed(now);
      goTo(open);
      open.part.scrollIntoView({ block: "nearest" });
      $("status").textContent = `${value}; now the ${now.name.toLowerCase()}`;
    } else {
      changed(now);
      show();
    }
  }

  function save() {
    const ready = sides.filter((side) => side.isChanged);
    const missing = sides.find((side) => !said(side));
    if (missing || !ready.length) {
      goTo(missing ?? now);
      complain(`Choose first: what is the ${now.name.toLowerCase()}?`);
      return;
    }
    const given = ready.map((side) => {
      const values = { [needed]: said(side) };
      if (said(side) !== "cannot tell" && (!enter || isEdited())) Object.assign(values, valuesOf(side));
      if (form.dataset.stratum) values.stratum = form.dataset.stratum;
      const also = side.isSplit || !side.value ? [] : side.also;
      return { key: side.key, values, note: side.panel.querySelector(".note input")?.value ?? "", also };
    });
    go("/save", { id, sides: given, again, settling, anyway });
  }

  // Who has read what speaks against an edit may accept it all the same, until it is edited further.
  function warned(is) {
    if (is === anyway) return;
    anyway = is;
    const label = buttons[0].querySelector("span") ?? buttons[0];
    label.dataset.usual ??= label.textContent;
    label.textContent = is ? `${buttons[1] ? "Accept" : "Add"} anyway` : label.dataset.usual;
  }

  async function go(path, content) {
    if (busy) return;
    busy = true;
    form.setAttribute("aria-busy", "true");
    complain("");
    const end = running(enter && path === "/save" && isEdited() ? "Checking against the documents" : "Saving", $("status"));
    const { next, objections, error } = await send(path, content);
    if (next) return move(next);
    end();
    busy = false;
    form.removeAttribute("aria-busy");
    warned(Boolean(objections));
    if (objections) complain(["Not saved yet:", ...objections].join(objections.length > 1 ? "\n\u2022 " : " "));
    else complain(path === "/save" ? `NOT saved: ${sentence(error)} What you chose and wrote is still here.` : error);
  }

  // First what was pressed and not saved.
  function takeBack() {
    const side = pressed.pop();
    if (side) {
      side.value = "";
      changed(side);
      side.isChanged = false;
      goTo(side);
    } else if (undo) go("/undo", { id: undo, settling });
  }

  function split() {
    const group = now.part.querySelector(".group");
    if (!group) return;
    now.isSplit = !now.isSplit;
    group.hidden = now.isSplit;
    $("status").textContent = now.isSplit ? "These come by themselves." : "";
  }

  function more() {
    isOpen = !isOpen;
    show();
    if (isOpen) now.panel.querySelector("input, textarea")?.focus();
  }

  // The next claim of the answer, the passage it cites, and its words wherever they stand.
  function nextClaim() {
    const parts = all(".claim", now.part); // a claim may go over several cells or lines
    const claims = [...new Set(parts.map((part) => part.dataset.claim))];
    claim = claim + 1 < claims.length ? claim + 1 : -1;
    const mine = parts.filter((part) => part.dataset.claim === claims[claim]);
    document.body.classList.toggle("one-claim", claim >= 0);
    for (const part of all(".claim")) part.classList.toggle("now", mine.includes(part));
    for (const mark of all("mark")) {
      mark.classList.toggle("now", now.part.contains(mark) && mark.dataset.claims.split(" ").includes(claims[claim]));
    }
    const cited = (mine[0]?.dataset.sources ?? "").split(" ").filter(Boolean).map($);
    for (const source of all(".source")) source.classList.toggle("now", cited.includes(source));
    (cited[0] ?? mine[0])?.scrollIntoView({ block: "nearest" });
    $("status").textContent = mine.length ? `Claim ${claim + 1} of ${claims.length}` : "";
  }

  // Passages are found by words; those that are marked stay.
  async function search(event) {
    event.preventDefault();
    const words = $("words").value.trim() || document.querySelector("[data-axis=text] textarea").value.trim();
    const end = running("Searching", $("status"));
    const found = await fetched(`/search?words=${encodeURIComponent(words)}`);
    end();
    if (!found) return complain("The search failed; is the command still running?");
    const kept = all("#found .source").filter((one) => one.querySelector(".gold:checked"));
    const there = new Set(all(".gold").filter((box) => !$("found").contains(box) || box.checked).map((box) => box.value));
    const others = all(".source", found).filter((one) => !there.has(one.querySelector(".gold")?.value));
    $("found").replaceChildren(...kept, ...others.map((one) => document.adoptNode(one)));
    show();
  }

  const acts = { undo: takeBack, more, claim: nextClaim, "help-button": () => $("help").showModal() };
  for (const [name, act] of Object.entries(acts)) $(name)?.addEventListener("click", act);
  for (const button of buttons) button.addEventListener("click", () => !busy && press(button.value));
  for (const side of sides) for (const event of ["focusin", "click"]) side.part.addEventListener(event, () => goTo(side));
  for (const button of all(".split")) button.addEventListener("click", split);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
  $("search")?.addEventListener("submit", search);
  $("stratum")?.addEventListener("change", () => move(`/?stratum=${encodeURIComponent($("stratum").value)}`));
  document.addEventListener("input", (event) => {
    if (!event.target.closest("[data-axis], .note")) return;
    changed(now);
    show();
  });
  // Whoever has edited something is asked before it is lost.
  addEventListener("beforeunload", (event) => enter && !busy && isEdited() && event.preventDefault());
  // Back in the browser may bring a page from memory that is older than what was saved.
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  for (const [box, key] of [["keys-off", "checked"], ["expected", "open"]]) {
    try {
      $(box)[key] = localStorage.getItem(`surefoot/${box}`) === "true";
      $(box).addEventListener(key === "open" ? "toggle" : "change", () => localStorage.setItem(`surefoot/${box}`, String($(box)[key])));
    } catch {
      // A browser that keeps nothing, or a page without it.
    }
  }
  show();
  before = shown();
  if (form.dataset.open === "1") now.panel.querySelector("textarea").focus();
}

for (const button of all(".close")) button.addEventListener("click", () => (button.parentElement.hidden = true));
$("name-form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  post("/name", { name: $("name").value });
});
if ($("form")) atWork($("form"));
else {
  $("undo")?.addEventListener("click", () => post("/undo", { id: $("undo").dataset.undo }));
  if ($("go-on")?.dataset.post) $("go-on").addEventListener("click", () => post($("go-on").dataset.post, {}));
}
if ($("verdict")?.hasAttribute("data-ask")) askGate($("verdict"));
