// What makes the studio pleasant. Every page works without it, by links and forms.
"use strict";

document.documentElement.classList.add("scripted");

// A form that says what is typed means on the data at hand, and what is wrong with it, while somebody types.
function explainWhileTyping(form) {
  const list = document.getElementById("meaning");
  let waiting = 0;
  let asked = 0;

  function show(answer) {
    for (const note of form.querySelectorAll("[data-error]")) {
      const words = answer.errors[note.dataset.error] || "";
      note.textContent = words;
      note.hidden = !words;
      const field = note.closest(".field");
      const input = field && field.querySelector("input, select, textarea");
      if (field) field.classList.toggle("bad-field", Boolean(words));
      if (input) words ? input.setAttribute("aria-invalid", "true") : input.removeAttribute("aria-invalid");
    }
    const lines = answer.sentences.length ? answer.sentences : ["First mend what is marked."];
    if ([...list.children].map((each) => each.textContent).join("\n") === lines.join("\n")) return;
    list.replaceChildren(...lines.map((words) => {
      const line = document.createElement("li");
      line.textContent = words;
      return line;
    }));
  }

  async function ask() {
    const number = ++asked;
    const typed = new URLSearchParams(new FormData(form));
    typed.delete("name");
    const answer = await fetch(`${form.dataset.meaning}?${typed}`);
    if (answer.ok && number === asked) show(await answer.json());
  }

  function askSoon() {
    clearTimeout(waiting);
    waiting = setTimeout(() => ask().catch(() => {}), 200);
  }

  form.addEventListener("input", askSoon);
  // What was typed before this script was there, or is put back by the browser on the way back.
  const typedBefore = [...form.elements].some((each) =>
    each.type === "checkbox" ? each.checked !== each.defaultChecked
      : "defaultValue" in each && each.value !== each.defaultValue);
  if (typedBefore) askSoon();
  window.addEventListener("pageshow", (event) => event.persisted && askSoon());
}

// A run or a file at work: progress and findings come as they are, and at the end the next page.
function listen(place) {
  const { events, live, then } = place.dataset;
  const stream = new EventSource(events);
  let busy = false;
  let again = false;

  function put(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    const inside = place.contains(document.activeElement) && document.activeElement.closest("form");
    const action = inside && inside.getAttribute("action");
    const opened = [...place.querySelectorAll("details[open] > summary")].map((each) => each.textContent);
    place.replaceChildren(...page.body.childNodes);
    for (const each of place.querySelectorAll("details > summary")) {
      if (opened.includes(each.textContent)) each.parentElement.open = true;
    }
    const same = action && place.querySelector(`form[action="${action}"] button`);
    if (same) same.focus();
  }

  async function refresh() {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    try {
      const answer = await fetch(live);
      if (answer.ok) put(await answer.text());
    } finally {
      busy = false; // a server that was away for a moment may be back for the next finding
    }
    if (again) {
      again = false;
      await refresh();
    }
  }

  stream.addEventListener("progress", (event) => {
    const told = JSON.parse(event.data);
    const bar = place.querySelector("progress");
    const step = place.querySelector("#step");
    if (bar) bar.value = told.share;
    if (step && step.textContent !== told.step) step.textContent = told.step;
  });
  stream.addEventListener("found", () => refresh().catch(() => {}));
  stream.addEventListener("end", () => {
    stream.close();
    then ? location.assign(then) : location.reload();
  });
}

// A file that is dropped on the field; and what is sent is shown to be on its way.
function takeDrops(form) {
  const drop = form.querySelector(".drop");
  const input = form.querySelector("input[type=file]");
  const button = form.querySelector("button");
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files.length) input.files = event.dataTransfer.files;
    });
  }
  form.addEventListener("submit", () => {
    button.textContent = "Uploading …";
    button.disabled = true;
  });
  window.addEventListener("pageshow", () => {
    button.textContent = "Upload";
    button.disabled = false;
  });
}

document.querySelectorAll("form[data-meaning]").forEach(explainWhileTyping);
document.querySelectorAll("[data-events]").forEach(listen);
document.querySelectorAll("form[data-upload]").forEach(takeDrops);
document.querySelectorAll("form[data-submit-on-change]").forEach((form) => {
  form.addEventListener("change", () => form.requestSubmit());
});

// After a form was refused, the first field that is marked is where to go on.
const marked = document.querySelector("[aria-invalid=true]");
if (marked) {
  for (let each = marked.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
  marked.focus();
}

// A point of a chart of settings is as good as its line in the table below.
document.addEventListener("click", (event) => {
  const point = event.target.closest("[data-points] .point");
  const title = point && point.querySelector("title");
  const take = title && document.querySelector(`[data-take="${parseInt(title.textContent, 10)}"]`);
  if (take) take.click();
});
