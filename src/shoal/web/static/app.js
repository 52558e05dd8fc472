"use strict";
// Uploads with progress, watching jobs, scrolling through rows, keys, printing.

const ROW_HEIGHT = 33, PAGE = 80, MOST_HEIGHT = 6000000; // browsers cut off elements that are much higher

function show(element, yes) { if (element) element.hidden = !yes; }

// --- a file is sent as it is, as the body of one request
function upload(card, file) {
  const bar = card.querySelector("progress"), said = card.querySelector(".uploading span"), bad = card.querySelector(".bad");
  const fail = (text) => { show(card.querySelector(".uploading"), false); bad.textContent = text; show(bad, true); };
  show(bad, false);
  if (file.size > Number(card.dataset.most)) return fail(card.dataset.tooLarge);
  show(card.querySelector(".uploading"), true);
  const request = new XMLHttpRequest();
  request.open("POST", card.dataset.upload);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.setRequestHeader("Accept", "application/json");
  request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
  request.upload.onprogress = (event) => {
    bar.value = event.total ? event.loaded / event.total : 0;
    said.textContent = Math.round(100 * bar.value) + " %";
  };
  request.onload = () => {
    let answer = {};
    try { answer = JSON.parse(request.responseText); } catch (_) { /* no JSON */ }
    if (request.status === 200) location.assign(answer.location);
    else fail([answer.error || card.dataset.lost, answer.hint || ""].join(" "));
  };
  request.onerror = () => fail(card.dataset.lost);
  request.send(file);
}

function makeDrop(card) {
  const input = card.querySelector("input[type=file]");
  const chosen = () => input.files.length && upload(card, input.files[0]);
  input.addEventListener("change", chosen);
  chosen(); // it may have been chosen before this script was there
  for (const kind of ["dragenter", "dragover"])
    card.addEventListener(kind, (event) => { event.preventDefault(); card.classList.add("over"); });
  for (const kind of ["dragleave", "drop"]) card.addEventListener(kind, () => card.classList.remove("over"));
  card.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) upload(card, event.dataTransfer.files[0]);
  });
}

// --- a job sends events until it is over; the browser reconnects by itself if the connection is lost
function watch(panel) {
  if (panel.dataset.watched) return;
  panel.dataset.watched = "yes";
  const events = new EventSource(panel.dataset.events);
  const part = (name) => panel.querySelector(name);
  events.onmessage = (event) => {
    if (!panel.isConnected) return events.close(); // another one took its place
    const now = JSON.parse(event.data);
    const put = (name, text) => { const one = part(name); if (one && one.textContent !== text) one.textContent = text; };
    put(".job-step", now.step); put(".job-time", now.time); put(".job-left", now.left); put(".job-note", now.note);
    const bar = part(".job-bar");
    if (now.share === null) bar.removeAttribute("value"); else bar.value = now.share;
    if (panel.dataset.points !== undefined && Number(panel.dataset.points) !== now.points) {
      panel.dataset.points = now.points;
      htmx.ajax("GET", panel.dataset.refresh, { target: panel.dataset.into, swap: "innerHTML" });
    }
    if (["done", "failed", "cancelled"].includes(now.state)) {
      events.close();
      if (now.state !== "cancelled") location.assign(panel.dataset.next);
      else if (panel.dataset.back) location.assign(panel.dataset.back);
      else show(panel, false); // the request that cancelled it loads another page
    }
  };
  events.onopen = () => show(part(".job-lost"), false);
  events.onerror = () => show(part(".job-lost"), true);
  addEventListener("pagehide", () => events.close());
}

// --- a table of any length: only the rows in view are loaded
function makeGrid(grid) {
  const count = Number(grid.dataset.count), sizer = grid.querySelector(".sizer"), table = grid.querySelector("table");
  const body = table.tBodies[0], head = table.tHead.offsetHeight || 50;
  if (count <= body.rows.length) return;
  const full = count * ROW_HEIGHT + head, high = Math.min(full, MOST_HEIGHT);
  sizer.style.height = high + "px";
  let first = 0, wanted = 0, busy = false;
  const seen = () => Math.ceil(grid.clientHeight / ROW_HEIGHT);
  const place = () => {
    const room = high - grid.clientHeight, share = room > 0 ? Math.min(1, grid.scrollTop / room) : 0;
    return Math.round(share * Math.max(0, count - seen() + 3));
  };
  const settle = () => {
    const top = place();
    table.style.transform = `translateY(${Math.max(0, grid.scrollTop - (top - first) * ROW_HEIGHT)}px)`;
  };
  async function load() {
    if (busy) return;
    busy = true;
    while (true) {
      const top = place();
      if (top >= first && top + seen() <= first + body.rows.length) break;
      wanted = Math.max(0, Math.min(count - 1, top - Math.floor((PAGE - seen()) / 2)));
      const answer = await fetch(`${grid.dataset.rows}?start=${wanted}&count=${PAGE}`);
      if (!answer.ok) break;
      body.innerHTML = await answer.text();
      [...body.rows].forEach((row, at) => row.setAttribute("aria-rowindex", wanted + at + 1));
      first = wanted;
      settle();
      if (!body.rows.length) break;
    }
    busy = false;
  }
  grid.addEventListener("scroll", () => { settle(); load(); }, { passive: true });
}

// --- the rows of a group are marked together
function showGroup(event) {
  const row = event.target.closest && event.target.closest(".pairs tr[data-group]");
  if (!row || row.classList.contains("same")) return;
  for (const one of row.parentElement.rows) one.classList.toggle("same", one.dataset.group === row.dataset.group);
}
for (const kind of ["mouseover", "click", "focusin"]) document.addEventListener(kind, showGroup);

// --- buttons that set a field, the keys of undo, printing of the report
document.addEventListener("click", (event) => {
  const chip = event.target.closest("[data-set]"), print = event.target.closest("[data-print]");
  if (chip) {
    const field = document.getElementById(chip.dataset.set);
    field.value = chip.dataset.value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  if (print) {
    const frame = document.createElement("iframe");
    frame.className = "hidden";
    frame.title = print.textContent;
    frame.onload = () => frame.contentWindow.print();
    frame.src = print.dataset.print;
    document.body.append(frame);
  }
});
// --- values that belong together: a name is written beside all that are chosen
function makeHand(event) {
  const form = event.target.closest("[data-hand]"), button = event.target.closest("[data-together]");
  const close = event.target.closest("[data-close]");
  if (close) document.querySelector(close.dataset.close).replaceChildren();
  if (!form) return;
  const rows = [...form.querySelectorAll("tbody tr")];
  if (event.target.matches("[data-all]")) rows.forEach((row) => { row.querySelector("[data-one]").checked = event.target.checked; });
  if (!button) return;
  const name = form.querySelector("[data-name]").value;
  rows.forEach((row) => {
    const one = row.querySelector("[data-one]");
    if (!one.checked) return;
    row.querySelectorAll("input[type=text]")[Number(button.dataset.together)].value = name;
    one.checked = false;
  });
}
document.addEventListener("click", makeHand);
document.addEventListener("keydown", (event) => {
  const writing = event.target.closest("input[type=text], input:not([type]), textarea");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !writing) {
    const button = document.getElementById(event.shiftKey ? "redo" : "undo");
    if (button && !button.disabled) { event.preventDefault(); button.click(); }
  }
});
document.addEventListener("toggle", (event) => { // what is unfolded stays so when a column is shown again
  const form = event.target.closest && event.target.closest("form.column");
  if (!form) return;
  const mark = form.querySelector("input[name=open]");
  if (event.target.open && !mark) form.insertAdjacentHTML("beforeend", '<input type="hidden" name="open" value="1">');
  if (!event.target.open && mark) mark.remove();
}, true);
// --- a card that was unfolded stays so when its page is shown again, and what went wrong is brought into view
const unfolded = new Set();
document.addEventListener("toggle", (event) => {
  if (event.target.id && event.target.matches("#body details")) unfolded[event.target.open ? "add" : "delete"](event.target.id);
}, true);
function keepUnfolded() {
  unfolded.forEach((id) => { const one = document.getElementById(id); if (one) one.open = true; });
  const bad = document.querySelector("#body .problem");
  if (bad) bad.scrollIntoView({ block: "center" });
}
// an address that names a card unfolds it
function showNamed() {
  const named = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (named && named.matches("details")) { named.open = true; named.scrollIntoView(); }
}
// --- several k: the first turn of k begins to try them, and a point of the curve can be taken
function markFrontier() {
  const chips = [...document.querySelectorAll("#frontier [data-set=k]")];
  document.querySelectorAll("#frontier svg circle").forEach((point, at) => {
    point.classList.toggle("current", chips[at] && chips[at].getAttribute("aria-pressed") === "true");
    point.onclick = () => chips[at] && chips[at].click();
  });
}
document.addEventListener("change", (event) => {
  const turn = event.target.id === "k" && document.querySelector("[data-turn]");
  if (turn) turned = turn.dataset.turn;
});
let turned = "";
document.addEventListener("htmx:afterSettle", () => {
  document.querySelectorAll(".job").forEach(watch);
  keepUnfolded();
  markFrontier();
  if (turned) {
    const where = turned;
    turned = "";
    htmx.ajax("POST", where, { target: "#body", swap: "outerHTML" });
  }
});
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".drop").forEach(makeDrop);
  document.querySelectorAll(".job").forEach(watch);
  document.querySelectorAll(".sheet").forEach(makeGrid);
  showNamed();
  markFrontier();
});
