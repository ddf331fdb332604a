// The label page: keys, drafts and saving. Foreign text is never touched here: all of it came from the server as text.
// `page.js` comes before it.
"use strict";

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
  const valueOf = (axis) => (count(axis) ? count(axis).value.trim() : radios(axis).find((r) => r.checked)?.value ?? "");

  function values() {
    return Object.fromEntries(shown().map((axis) => [axis.dataset.axis, valueOf(axis)]).filter(([, value]) => value));
  }

  function put(axis, value) {
    if (count(axis)) count(axis).value = value;
    else for (const radio of radios(axis)) radio.checked = radio.value === value;
  }

  // What is asked of a refusal is asked only once the answer is called one.
  function follow() {
    const deciding = axes.filter((axis) => radios(axis).some((radio) => radio.value === "refused"));
    const refused = !deciding.length || deciding.some((axis) => valueOf(axis) === "refused");
    for (const axis of axes) axis.hidden = axis.disabled = axis.dataset.when === "refused" && !refused;
  }

  function beside(step) {
    const rest = shown();
    return rest[rest.indexOf(now) + step];
  }

  function goTo(axis, focus) {
    now = axis;
    for (const other of axes) other.classList.toggle("now", other === axis);
    if (focus) (count(axis) ?? radios(axis).find((radio) => radio.checked) ?? radios(axis)[0]).focus();
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
      complain(path === "/label" ? `NOT saved: ${sentence(error)} Your choices are kept here; Enter tries again.` : error);
      return;
    }
    if (path === "/label") forget();
    location.assign(next);
  }

  function save() {
    const missing = shown().find((axis) => axis.hasAttribute("data-needed") && !valueOf(axis));
    if (missing) {
      goTo(missing, true);
      complain(`Choose ${missing.querySelector("legend").textContent} first, or press s to skip this answer, t if you cannot tell.`);
      return;
    }
    const { number, version } = form.dataset;
    go("/label", { label: { number: Number(number), version, id, values: values(), note: $("note").value } });
  }

  function choose(key) {
    const radio = radios(now).find((one) => one.dataset.key === key);
    if (!radio) {
      if (count(now)) {
        count(now).value = key;
        count(now).focus();
        changed();
      }
      return;
    }
    radio.checked = true;
    changed();
    goTo(beside(1) ?? now, true);
  }

  // Blank what is up, or the axis before it: after a choice the next axis is up already.
  function takeBack() {
    const axis = valueOf(now) ? now : beside(-1);
    if (!axis) return;
    if (valueOf(axis)) {
      put(axis, "");
      changed();
      $("status").textContent = `${axis.querySelector("legend").textContent} is blank again`;
    }
    goTo(axis, true);
  }

  function visit(number) {
    if (number) location.assign(`/answers/${number}`);
  }

  // The next claim, and its words wherever they stand.
  function nextClaim() {
    const claims = [...document.querySelectorAll(".claim")];
    claim = claim + 1 < claims.length ? claim + 1 : -1;
    document.body.classList.toggle("one-claim", claim >= 0);
    claims.forEach((one, number) => one.classList.toggle("now", number === claim));
    for (const mark of document.querySelectorAll("mark")) {
      mark.classList.toggle("now", mark.dataset.claims.split(" ").includes(String(claim)));
    }
    claims[claim]?.scrollIntoView({ block: "nearest" });
    document.querySelector(".source mark.now")?.scrollIntoView({ block: "nearest" });
    $("status").textContent = claim >= 0 ? `Claim ${claim + 1} of ${claims.length}` : "";
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
    t: () => $("cannot-tell").click(),
    n: () => $("note").focus(),
    j: () => visit(form.dataset.after),
    k: () => visit(form.dataset.before),
    c: nextClaim,
    g: () => toggle($("gold")),
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
  form.addEventListener("input", changed);
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
  for (const [button, why] of [["skip", "skipped"], ["cannot-tell", "cannot tell"]]) {
    $(button).addEventListener("click", () => go("/skip", { number: Number(form.dataset.number), why }));
  }
  $("undo").addEventListener("click", () => form.dataset.undo && go("/undo", { sending: form.dataset.undo }));
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

  for (const [box, key] of [["keys-off", "checked"], ["gold", "open"], ["others", "open"]]) {
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
