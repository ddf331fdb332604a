// The label page: keys, drafts and saving. Foreign text is never touched here: all of it came from the server as text.
// `page.js` comes before it.
"use strict";

const CANNOT_TELL = "cannot tell";

function atDesk(form) {
  const axes = [...form.querySelectorAll(".axis")];
  const draftKey = `surefoot/${form.dataset.draft}`;
  let now = axes[0]; // the axis that digits go to
  let id = newId(); // another one whenever something changes: what is sent again unchanged is one label
  let busy = false;
  let claim = -1;

  const shown = () => axes.filter((axis) => !axis.hidden);
  const radios = (axis) => [...axis.querySelectorAll("input[type=radio]")];
  const count = (axis) => axis.querySelector(".count");
  const valueOf = (axis) => radios(axis).find((radio) => radio.checked)?.value ?? count(axis)?.value.trim() ?? "";
  const needed = axes.find((axis) => axis.hasAttribute("data-needed"));
  const settling = form.dataset.path === "/settle";

  function values() {
    return Object.fromEntries(shown().map((axis) => [axis.dataset.axis, valueOf(axis)]).filter(([, value]) => value));
  }

  function put(axis, value) {
    for (const radio of radios(axis)) radio.checked = radio.value === value;
    if (count(axis)) count(axis).value = radios(axis).some((radio) => radio.checked) ? "" : value;
  }

  // What is asked of a refusal is asked only once the answer is called one, and nothing of an answer nobody can tell.
  function follow() {
    const deciding = axes.filter((axis) => radios(axis).some((radio) => radio.value === "refused"));
    const refused = !deciding.length || deciding.some((axis) => valueOf(axis) === "refused");
    const unsure = valueOf(needed) === CANNOT_TELL;
    for (const axis of axes) {
      axis.hidden = axis.disabled = axis !== needed && (unsure || (axis.dataset.when === "refused" && !refused));
      const meanings = document.querySelector(`[data-of="${CSS.escape(axis.dataset.axis)}"]`);
      if (meanings) meanings.hidden = axis.hidden;
    }
  }

  function beside(step) {
    const rest = shown();
    return rest[rest.indexOf(now) + step];
  }

  function goTo(axis, focus) {
    now = axis;
    for (const other of axes) other.classList.toggle("now", other === axis);
    if (focus) (radios(axis).find((radio) => radio.checked) ?? count(axis) ?? radios(axis)[0]).focus();
  }

  function changed() {
    id = newId();
    follow();
    complain("");
    $("status").textContent = "";
    keep();
  }

  function keep() {
    try {
      localStorage.setItem(draftKey, JSON.stringify({ id, values: values(), note: $("note").value }));
    } catch {
      // A browser that keeps nothing: the form itself is still there.
    }
  }

  function forget() {
    try {
      localStorage.removeItem(draftKey);
      localStorage.setItem("surefoot/saved", `${form.dataset.draft} ${Date.now()}`);
    } catch {
      // As above.
    }
  }

  function restore() {
    let draft = null;
    try {
      draft = JSON.parse(localStorage.getItem(draftKey));
    } catch {
      return;
    }
    if (!draft || typeof draft.values !== "object") return;
    id = draft.id;
    for (const axis of axes) put(axis, draft.values[axis.dataset.axis] ?? "");
    $("note").value = draft.note;
    $("status").textContent = "Not saved yet: this is what you had chosen.";
  }

  async function go(path, content) {
    if (busy) return;
    busy = true;
    form.setAttribute("aria-busy", "true");
    complain("");
    const { next, error } = await send(path, content);
    if (error) {
      busy = false;
      form.removeAttribute("aria-busy");
      complain(path === form.dataset.path ? `NOT saved: ${sentence(error)} Your choices are kept here; Enter tries again.` : error);
      return;
    }
    if (path === form.dataset.path) forget();
    move(next);
  }

  function save() {
    if (!valueOf(needed)) {
      goTo(needed, true);
      const otherwise = settling ? "s to leave it open" : "t if you cannot tell, s to skip it";
      complain(`Choose first: ${needed.querySelector("legend").firstChild.textContent.trim()} Or press ${otherwise}.`);
      return;
    }
    const { number, version, path } = form.dataset;
    go(path, { label: { number: Number(number), version, id, values: values(), note: $("note").value } });
  }

  // The axis stays up, so that another key corrects the choice. Tab goes on.
  function choose(key) {
    const radio = radios(now).find((one) => one.dataset.key === key);
    if (radio) put(now, radio.value);
    else if (count(now)) put(now, key);
    else return;
    changed();
    (radio ?? count(now)).focus();
  }

  function cannotTell() {
    if (settling) return;
    put(needed, CANNOT_TELL);
    changed();
    goTo(needed, true);
  }

  // Blank what is up, or the axis before it.
  function takeBack() {
    const axis = valueOf(now) ? now : beside(-1);
    if (!axis) return;
    if (valueOf(axis)) {
      const was = valueOf(axis);
      put(axis, "");
      changed();
      $("status").textContent = `Taken back: ${was}`;
    }
    goTo(axis, true);
  }

  function visit(number) {
    if (number) move(form.dataset.pages + number);
  }

  // The next claim, the passage it cites, and its words wherever they stand.
  function nextClaim() {
    const parts = [...document.querySelectorAll(".claim")]; // a claim may go over several cells or lines
    const claims = [...new Set(parts.map((part) => part.dataset.claim))];
    claim = claim + 1 < claims.length ? claim + 1 : -1;
    const name = claims[claim];
    const mine = parts.filter((part) => part.dataset.claim === name);
    document.body.classList.toggle("one-claim", claim >= 0);
    for (const part of parts) part.classList.toggle("now", mine.includes(part));
    for (const mark of document.querySelectorAll("mark")) {
      mark.classList.toggle("now", mark.dataset.claims.split(" ").includes(name));
    }
    const cited = (mine[0]?.dataset.sources ?? "").split(" ").filter(Boolean).map((number) => $(`source-${number}`));
    for (const source of document.querySelectorAll(".source")) source.classList.toggle("now", cited.includes(source));
    mine[0]?.scrollIntoView({ block: "nearest" });
    (cited[0] ?? document.querySelector(".source mark.now"))?.scrollIntoView({ block: "start" });
    const cites = cited.length ? `cites ${cited.map((one) => one.querySelector("bdi").textContent).join(", ")}` : "cites nothing";
    $("status").textContent = mine.length ? `Claim ${claim + 1} of ${claims.length} ${cites}` : "";
  }

  // Both texts at once; where the page is one column, the page.
  function scroll(direction) {
    const panes = [...document.querySelectorAll("main section")].filter((pane) => pane.scrollHeight > pane.clientHeight);
    for (const pane of panes.length ? panes : [document.scrollingElement]) {
      pane.scrollBy(0, direction * 0.8 * pane.clientHeight);
    }
  }

  function toggle(details) {
    if (details) details.open = !details.open;
  }

  const keys = {
    u: () => $("undo").click(),
    s: () => $("skip").click(),
    t: cannotTell,
    n: () => $("note").focus(),
    j: () => visit(form.dataset.after),
    k: () => visit(form.dataset.before),
    c: nextClaim,
    e: () => toggle($("expected")),
    g: () => $("guidelines")?.scrollIntoView({ block: "start" }),
    m: () => !settling && move("/mine"),
    o: () => toggle($("others")),
    "?": () => $("help").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const at = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    if (at.id === "note") {
      if (event.key === "Escape") at.blur();
      return; // Enter sends the form by itself
    }
    const isButton = at.matches("button, a, summary");
    if (event.key === "Enter" && !isButton) save();
    else if (/^Page(Up|Down)$/.test(event.key)) scroll(event.key === "PageDown" ? 1 : -1);
    else if (/^[0-9]$/.test(event.key) && !at.matches(".count")) choose(event.key);
    else if (/^(Backspace|Delete)$/.test(event.key) && !(at.matches(".count") && at.value)) {
      if (!event.repeat) takeBack(); // one at a time, however long it is held
    } else if (keys[event.key] && (!$("keys-off").checked || event.key === "?")) keys[event.key]();
    else return;
    event.preventDefault();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
  form.addEventListener("input", (event) => {
    if (event.target.matches(".count")) for (const radio of radios(event.target.closest(".axis"))) radio.checked = false;
    changed();
  });
  form.addEventListener("focusin", (event) => {
    const axis = event.target.closest(".axis");
    if (axis) goTo(axis, false);
  });
  // A second click takes a choice back: unlike a second press of its key, it cannot land on the next axis.
  form.addEventListener("pointerdown", (event) => {
    const radio = event.target.closest(".choice")?.querySelector("input");
    if (radio) radio.dataset.was = radio.checked;
  });
  form.addEventListener("click", (event) => {
    const radio = event.target;
    if (!radio.matches("input[type=radio]") || !event.detail) return;
    if (radio.dataset.was === "true") {
      radio.checked = false;
      changed();
    }
    radio.dataset.was = "";
  });
  if (!settling) $("skip").addEventListener("click", () => go("/skip", { number: Number(form.dataset.number) }));
  $("undo").addEventListener("click", () => form.dataset.undo && go("/undo", { sending: form.dataset.undo, settling }));
  $("before").addEventListener("click", () => visit(form.dataset.before));
  $("after").addEventListener("click", () => visit(form.dataset.after));
  $("help-button").addEventListener("click", () => $("help").showModal());
  // Another tab has just saved this very answer: show what it says now.
  addEventListener("storage", (event) => {
    const saved = event.key === "surefoot/saved" && String(event.newValue).startsWith(`${form.dataset.draft} `);
    if (saved && !busy) location.reload();
  });
  // Back in the browser may bring a page from memory that is older than what was saved.
  addEventListener("pageshow", (event) => event.persisted && location.reload());

  for (const [box, key] of [["keys-off", "checked"], ["expected", "open"], ["others", "open"]]) {
    const part = $(box);
    if (!part) continue;
    try {
      part[key] = localStorage.getItem(`surefoot/${box}`) === "true";
      part.addEventListener(key === "open" ? "toggle" : "change", () => {
        localStorage.setItem(`surefoot/${box}`, String(part[key]));
      });
    } catch {
      // Not kept, then.
    }
  }
  restore();
  follow();
  goTo(axes[0], false);
}

atDesk($("label-form"));
