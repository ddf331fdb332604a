// The look page: keys and saving. Foreign text is never touched here: all of it came from the server as text.
// `page.js` comes before it.
"use strict";

function atLook(form) {
  const { needed, undo, back } = form.dataset;
  const again = form.dataset.again === "1";
  const settling = form.dataset.settling === "1";
  const panels = [...form.querySelectorAll(".more")];
  const sides = [...document.querySelectorAll(".side")].map((part, at) => ({
    part,
    panel: panels[at],
    name: part.getAttribute("aria-label"),
    key: part.dataset.key,
    label: part.dataset.label, // what it was called before
    value: "", // what was pressed
    note: panels[at].querySelector(".note input"),
    also: [...part.querySelectorAll(".group [data-key]")].map((one) => one.dataset.key),
    isSplit: false,
    isChanged: false,
  }));
  const pressed = []; // sides, in order
  let now = sides.find((side) => !side.label) ?? sides[0];
  let id = newId(); // another one whenever something changes: what is sent again unchanged is one label
  let busy = false;
  let isOpen = settling && Boolean(now.label); // there is more to say
  let claim = -1;

  const said = (side) => side.value || side.label;

  function show() {
    for (const side of sides) {
      const badge = side.part.querySelector(".value");
      badge.textContent = said(side);
      badge.hidden = !said(side);
      side.part.classList.toggle("now", side === now);
      side.panel.hidden = !isOpen || side !== now;
      for (const axis of side.panel.querySelectorAll("[data-when=refused]")) axis.hidden = axis.disabled = said(side) !== "refused";
    }
    for (const button of form.querySelectorAll("button[value]")) button.setAttribute("aria-pressed", String(button.value === said(now)));
    $("active").textContent = `${now.name}:`;
    $("more").setAttribute("aria-expanded", String(isOpen));
    form.querySelector(".save").hidden = !isOpen;
    $("undo").disabled = !undo && !pressed.length;
  }

  function goTo(side) {
    if (!side) return;
    now = side;
    show();
  }

  function changed(side) {
    id = newId();
    side.isChanged = true;
    complain("");
    $("status").textContent = "";
  }

  // One key a reading; the last one saves.
  function press(value) {
    now.value = value;
    pressed.push(now);
    changed(now);
    const open = sides.find((side) => !said(side));
    if (!open && !isOpen) {
      show();
      save();
    } else if (open && open !== now && !isOpen) {
      goTo(open);
      open.part.scrollIntoView({ block: "nearest" });
      $("status").textContent = `${value}; now the ${now.name.toLowerCase()}`;
    } else show();
  }

  function valuesOf(side) {
    const found = { [needed]: said(side) };
    for (const axis of side.panel.querySelectorAll("[data-axis]")) {
      const value = axis.querySelector("input:checked")?.value ?? axis.querySelector(".count")?.value.trim();
      if (value && !axis.disabled && said(side) !== "cannot tell") found[axis.dataset.axis] = value;
    }
    return found;
  }

  function save() {
    const ready = sides.filter((side) => side.isChanged);
    const missing = sides.find((side) => !said(side)) ?? ready.find((side) => !said(side));
    if (missing || !ready.length) {
      goTo(missing ?? now);
      complain(`Choose first: what is the ${now.name.toLowerCase()}?`);
      return;
    }
    const given = ready.map((side) => ({
      key: side.key, values: valuesOf(side), note: side.note.value, also: side.isSplit || !side.value ? [] : side.also,
    }));
    go("/look", { id, sides: given, again, settling });
  }

  async function go(path, content) {
    if (busy) return;
    busy = true;
    form.setAttribute("aria-busy", "true");
    complain("");
    const { next, error } = await send(path, content);
    if (next) {
      move(next);
      return;
    }
    busy = false;
    form.removeAttribute("aria-busy");
    complain(path === "/look" ? `NOT saved: ${sentence(error)} Your choices are kept here; Enter tries again.` : error);
  }

  // First what was pressed and not saved.
  function takeBack() {
    const side = pressed.pop();
    if (side) {
      side.value = "";
      changed(side);
      side.isChanged = false;
      goTo(side);
    } else if (undo) go("/undo", { sending: undo, settling });
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
    if (isOpen) now.panel.querySelector("input")?.focus();
  }

  // The next claim of the answer, the passage it cites, and its words wherever they stand.
  function nextClaim() {
    const parts = [...now.part.querySelectorAll(".claim")]; // a claim may go over several cells or lines
    const claims = [...new Set(parts.map((part) => part.dataset.claim))];
    claim = claim + 1 < claims.length ? claim + 1 : -1;
    const mine = parts.filter((part) => part.dataset.claim === claims[claim]);
    document.body.classList.toggle("one-claim", claim >= 0);
    for (const part of document.querySelectorAll(".claim")) part.classList.toggle("now", mine.includes(part));
    for (const mark of document.querySelectorAll("mark")) {
      mark.classList.toggle("now", now.part.contains(mark) && mark.dataset.claims.split(" ").includes(claims[claim]));
    }
    const cited = (mine[0]?.dataset.sources ?? "").split(" ").filter(Boolean).map($);
    for (const source of document.querySelectorAll(".source")) source.classList.toggle("now", cited.includes(source));
    (cited[0] ?? mine[0])?.scrollIntoView({ block: "nearest" });
    $("status").textContent = mine.length ? `Claim ${claim + 1} of ${claims.length}` : "";
  }

  const keys = {
    z: takeBack,
    x: split,
    o: more,
    b: () => back && move(back),
    n: nextClaim,
    e: () => ($("expected").open = !$("expected").open),
    h: () => $("help").showModal(),
  };
  const choices = [...form.querySelectorAll("button[value]")];

  document.addEventListener("keydown", (event) => {
    const at = event.target;
    if (busy || event.repeat || event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    const isWriting = at.matches(".note input, .count");
    if (event.key === "Escape" && at.matches("input")) at.blur();
    else if (event.key === "Enter" && !at.matches("button, a, summary")) save();
    else if (isWriting) return;
    else if (/^Arrow(Left|Right)$/.test(event.key) && !at.matches("input")) {
      goTo(sides[event.key === "ArrowLeft" ? 0 : sides.length - 1]);
    } else if ($("keys-off").checked) return;
    else {
      const choice = choices.find((one) => one.dataset.press && one.dataset.press === event.key.toLowerCase());
      const act = choice ? () => press(choice.value) : keys[event.key];
      if (!act) return;
      act();
    }
    event.preventDefault();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
  form.addEventListener("input", () => changed(now));
  for (const button of choices) button.addEventListener("click", () => !busy && press(button.value));
  for (const side of sides) for (const event of ["focusin", "pointerdown"]) side.part.addEventListener(event, () => goTo(side));
  for (const button of document.querySelectorAll(".split")) button.addEventListener("click", split);
  $("more").addEventListener("click", more);
  $("undo").addEventListener("click", takeBack);
  $("back").addEventListener("click", () => back && move(back));
  $("help-button").addEventListener("click", () => $("help").showModal());
  // Back in the browser may bring a page from memory that is older than what was saved.
  addEventListener("pageshow", (event) => event.persisted && location.reload());

  for (const [box, key] of [["keys-off", "checked"], ["expected", "open"]]) {
    try {
      $(box)[key] = localStorage.getItem(`surefoot/${box}`) === "true";
      $(box).addEventListener(key === "open" ? "toggle" : "change", () => localStorage.setItem(`surefoot/${box}`, String($(box)[key])));
    } catch {
      // A browser that keeps nothing.
    }
  }
  show();
}

atLook($("look-form"));
