"use strict";
// Filters and search of lists of cases, and links to one of them. Without this script every case is shown.
for (const bar of document.querySelectorAll(".filters")) {
  const cases = [...bar.nextElementSibling.children];
  const search = bar.querySelector("input");
  const selects = [...bar.querySelectorAll("select")];
  const shown = bar.querySelector("output");
  const texts = new Map();

  const textOf = (one) => {
    if (!texts.has(one)) texts.set(one, one.textContent.toLowerCase());
    return texts.get(one);
  };
  const fits = (one, words) =>
    selects.every((select) => !select.value || one.dataset[`kind${select.dataset.number}`] === select.value) &&
    words.every((word) => textOf(one).includes(word));
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const one of cases) {
      one.hidden = !fits(one, words);
      count += one.hidden ? 0 : 1;
    }
    shown.value = count === cases.length ? `all ${count} shown` : `${count} of ${cases.length} shown`;
  };
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  for (const select of selects) select.addEventListener("change", filter);
  bar.hidden = false;
  filter();
}

const show = (one) => {
  if (!one) return;
  one.hidden = false;
  if ("open" in one) one.open = true;
  one.scrollIntoView();
};
const unfold = () => show(document.querySelector(".case:target"));
addEventListener("hashchange", unfold);
// In a notebook's frame a fragment is one of the notebook's address, which would be loaded.
if (location.href === "about:srcdoc") addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link) return;
  event.preventDefault();
  show(document.getElementById(link.getAttribute("href").slice(1)));
});
addEventListener("load", unfold);
