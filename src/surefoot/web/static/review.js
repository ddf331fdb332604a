// The review page: keys, fields and sending. Foreign text is never touched here: all of it came from the server as text.
// `page.js` comes before it.
"use strict";

function atReview(form) {
  let busy = false;
  let anyway = false;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const expects = () => document.querySelector("input[name=expects]:checked").value;

  function fields() {
    return {
      text: $("text").value,
      expects: expects(),
      claims: all(".claim-field").map((field) => field.value),
      gold: all(".gold:checked").map((box) => box.value),
    };
  }

  const before = JSON.stringify(fields());
  const isEdited = () => JSON.stringify(fields()) !== before;

  async function go(path, content) {
    if (busy) return;
    busy = true;
    form.setAttribute("aria-busy", "true");
    complain("");
    const { next, objections, error } = await send(path, content);
    if (next) {
      location.assign(next);
      return;
    }
    busy = false;
    form.removeAttribute("aria-busy");
    warned(Boolean(objections));
    if (objections) complain(`Not saved yet: ${objections.join("; ")}. Accept again to save it all the same.`);
    else complain(`NOT saved: ${sentence(error)} What you wrote is still here.`);
  }

  // Who has read what speaks against an edit may accept it all the same, until it is edited further.
  function warned(is) {
    anyway = is;
    $("accept").firstChild.textContent = is ? "Accept anyway " : "Accept ";
  }

  function decide(decision) {
    const { number, version, stratum } = form.dataset;
    go("/decide", { number: Number(number), version, stratum, decision, anyway, fields: fields() });
  }

  function edit() {
    $("edit").hidden = false;
    $("reading").hidden = true;
    follow();
    $("text").focus();
  }

  // What an answer must hold is asked only where there is to be one.
  function follow() {
    const refuses = expects() === "refusal";
    $("gold-fields").hidden = refuses;
    for (const box of all(".gold-box")) box.hidden = refuses || $("edit").hidden;
    $("status").textContent = isEdited() ? "Edited: accepting saves it." : "";
  }

  function visit(address) {
    if (address) location.assign(address);
  }

  function scroll(direction) {
    const panes = all("main section").filter((pane) => pane.scrollHeight > pane.clientHeight);
    for (const pane of panes.length ? panes : [document.scrollingElement]) {
      pane.scrollBy(0, direction * 0.8 * pane.clientHeight);
    }
  }

  const keys = {
    a: () => decide("accepted"),
    e: edit,
    r: () => decide("rejected"),
    s: () => visit(form.dataset.skip),
    u: () => $("undo").click(),
    j: () => visit(form.dataset.after),
    k: () => visit(form.dataset.before),
    o: () => $("others") && ($("others").open = !$("others").open),
    n: () => visit("/new"),
    "?": () => $("help").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const at = event.target;
    if ($("help").open || event.altKey || event.repeat) return;
    if (at.matches("textarea, select")) {
      if (event.key === "Escape") at.blur();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) decide("accepted");
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" && !at.matches("button, a, summary")) decide("accepted");
    else if (/^Page(Up|Down)$/.test(event.key)) scroll(event.key === "PageDown" ? 1 : -1);
    else if (keys[event.key] && (!$("keys-off").checked || event.key === "?")) keys[event.key]();
    else return;
    event.preventDefault();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    decide("accepted");
  });
  for (const [button, act] of [["edit-button", edit], ["reject", keys.r], ["skip", keys.s], ["before", keys.k], ["after", keys.j], ["help-button", keys["?"]]]) {
    $(button).addEventListener("click", act);
  }
  $("undo").addEventListener("click", () => go("/undo", {}));
  document.addEventListener("input", (event) => {
    if (!event.target.matches("textarea, input")) return;
    warned(false);
    follow();
  });
  $("stratum")?.addEventListener("change", () => visit(`/?stratum=${encodeURIComponent($("stratum").value)}`));
  // Whoever has edited something is asked before it is lost.
  addEventListener("beforeunload", (event) => !busy && isEdited() && event.preventDefault());
  // Back in the browser may bring a page from memory that is older than what was saved.
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  try {
    $("keys-off").checked = localStorage.getItem("surefoot/keys-off") === "true";
    $("keys-off").addEventListener("change", () => localStorage.setItem("surefoot/keys-off", $("keys-off").checked));
  } catch {
    // Not kept, then.
  }
}

// A question of one's own. Passages are found by words, and those that are marked stay.
function atNew(form) {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const expects = () => document.querySelector("input[name=expects]:checked").value;
  let anyway = false;
  let busy = false;

  function shown({ id, name, title, text }) {
    const article = $("found-template").content.cloneNode(true).firstElementChild;
    article.querySelector(".gold").value = id;
    article.querySelector("bdi").textContent = name;
    article.querySelector(".quiet").textContent = title;
    article.querySelector(".text").textContent = text;
    return article;
  }

  async function search() {
    const words = $("words").value.trim() || $("text").value.trim();
    if (!words) return;
    const { passages, error } = await send("/search", { words });
    if (error) return complain(error);
    const kept = all("#found .source").filter((article) => article.querySelector(".gold").checked);
    const ids = kept.map((article) => article.querySelector(".gold").value);
    $("found").replaceChildren(...kept, ...passages.filter(({ id }) => !ids.includes(id)).map(shown));
  }

  async function add() {
    if (busy) return;
    busy = true;
    complain("");
    $("status").textContent = "Reading the documents ...";
    const claims = all(".claim-field").map((field) => field.value);
    const gold = all(".gold:checked").map((box) => box.value);
    const { next, objections, error } = await send("/add", { text: $("text").value, expects: expects(), claims, gold, anyway });
    busy = false;
    $("status").textContent = "";
    if (next) return location.assign(next);
    anyway = Boolean(objections);
    $("add").textContent = anyway ? "Add anyway" : "Check and add";
    complain(error ?? `Not added: ${objections.join("; ")}`);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    add();
  });
  form.addEventListener("input", () => {
    anyway = false;
    $("add").textContent = "Check and add";
    $("gold-fields").hidden = expects() === "refusal";
  });
  $("search").addEventListener("click", search);
  $("text").addEventListener("change", () => $("words").value || search());
  $("words").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    search();
  });
}

if ($("review-form")) atReview($("review-form"));
else atNew($("new-form"));
