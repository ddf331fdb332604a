// What every page does: sending, complaining, asking for a name, resting between two pieces of work.
"use strict";

const $ = (id) => document.getElementById(id);
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

const move = (address) => location.assign(ROOT + address);
const sentence = (words) => (/[.?!]$/.test(words) ? words : `${words}.`);

function complain(words) {
  $("message").textContent = words;
  $("message").hidden = !words;
}

// 32 hexadecimal digits. crypto.randomUUID would not do: it is missing where a page comes without encryption.
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function atName(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    complain("");
    const { next, error } = await send("/name", { name: $("name").value });
    if (error) complain(error);
    else move(next);
  });
}

// What the gate would say is asked for when the page is there: it may take a while.
async function askGate(line) {
  try {
    line.textContent = (await (await fetch(`${ROOT}/gate`)).json()).says;
    line.hidden = !line.textContent;
  } catch {
    // The page works without it.
  }
}

// The page between two pieces of work: on with Enter, back with z.
function atRest() {
  async function post(path, content) {
    const { next, error } = await send(path, content);
    if (error) complain(error);
    else move(next);
  }
  $("undo")?.addEventListener("click", () => post("/undo", { sending: $("undo").dataset.undo }));
  if ($("go-on")?.dataset.post) $("go-on").addEventListener("click", () => post($("go-on").dataset.post, {}));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("a, button")) return;
    if (event.key === "Enter") $("go-on")?.click();
    if ("uz".includes(event.key)) $("undo")?.click();
  });
}

if ($("name-form")) atName($("name-form"));
else if (document.body.classList.contains("plain")) atRest();
if ($("verdict")?.hasAttribute("data-ask")) askGate($("verdict"));
