// The checklist of a lesson's gates, as the browser draws it. The kernel's records are the only state: a tick is kept here
// only until the kernel has acknowledged it, and is sent again, also after a reload or a restart, until it has.

const WAIT = 1500; // milliseconds for an answer before a tick is shown as not saved
const PAUSE = 5000; // between two attempts that nobody asked for
const AGAIN = [3000, 6000, 12000, 24000, 48000]; // after an attempt that was not answered
const BUS = "learning-checklist";
const LOST = "not saved yet: kernel not connected";
const memory = {}; // where a browser gives no storage

function keyOf(state) {
  return `learning-checklist:${state.slug}:${state.place}`;
}

function readPending(key) {
  try {
    const text = window.localStorage.getItem(key);
    const found = text === null ? memory[key] : JSON.parse(text);
    return found && typeof found === "object" ? found : {};
  } catch (error) {
    return memory[key] || {};
  }
}

function writePending(key, pending) {
  const none = Object.keys(pending).length === 0;
  try {
    if (none) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, JSON.stringify(pending));
    delete memory[key];
  } catch (error) {
    memory[key] = pending;
  }
}

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

function set(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function two(number) {
  return String(number).padStart(2, "0");
}

function render({ model, el }) {
  const name = model.get("name");
  let state = model.get("state");
  if (!state || !state.gates) return undefined; // a notebook that kept a widget and not what it showed
  let connected = null; // null: nothing was heard yet
  let tried = 0;
  let waiting = 0;
  let attempts = 0;
  let later = 0;
  let asked = false; // whether somebody pressed Refresh and waits for an answer
  const key = keyOf(state);
  const me = {}; // tells this view's own events on the bus from those of others
  const rows = {};

  // ---- the elements, made once and kept, so that focus and opened explanations survive every change

  const root = make("div", "learning-checklist");
  const all = make("details", "all");
  all.open = !model.get("folded");
  const head = make("summary");
  const fieldset = make("fieldset");
  const legend = make("legend", "", "Proof comes from your runs; a tick by hand is a claim");
  const list = make("ol");
  const ahead = make("p", "ahead");
  const notes = make("div");
  const foot = make("div", "foot");
  const refresh = make("button", "", "Refresh");
  refresh.type = "button";
  refresh.title = "Read the records again, those of a terminal too";
  const status = make("p");
  status.setAttribute("role", "status");
  foot.append(refresh, status);
  fieldset.append(legend, list, ahead, notes, foot);
  all.append(head, fieldset);
  root.append(all);
  el.append(root);

  const hide = document.createElement("style"); // the static form beside this view says the same, so it steps aside
  hide.textContent = `.learning-checklist-static[data-checklist="${name}"]{display:none}`;
  document.head.append(hide);

  function rowOf(gate) {
    if (rows[gate.id]) return rows[gate.id];
    const item = make("li");
    const label = make("label");
    const box = make("input");
    box.type = "checkbox";
    const told = make("span", "state");
    told.id = `${name}-${gate.id}-${Math.random().toString(36).slice(2, 8)}`;
    box.setAttribute("aria-describedby", told.id);
    label.append(box, make("span", "number", two(gate.number)), make("span", "", gate.name));
    const more = make("details");
    const summary = make("summary", "", "what proves it");
    summary.append(make("span", "unseen", ` (gate ${two(gate.number)}, ${gate.name})`));
    const lines = ["Proved by: ", "Now: ", "To get it: "].map((title) => {
      const line = make("p");
      const text = make("span");
      line.append(make("b", "", title), text);
      more.append(line);
      return { line, text };
    });
    more.prepend(summary);
    item.append(label, told, more);
    list.append(item);
    box.addEventListener("change", () => pend(gate.id, box.checked));
    rows[gate.id] = { item, box, told, more, lines };
    return rows[gate.id];
  }

  function draw() {
    const pending = readPending(key);
    set(head, `${state.progress} · gates of ${state.lesson}`);
    for (const gate of state.gates) {
      const row = rowOf(gate);
      const mine = pending[gate.id];
      const lost = mine !== undefined && connected === false;
      const proved = gate.state === "proved";
      const applies = gate.state !== "does not apply";
      row.item.dataset.state = gate.state;
      if (lost) row.item.dataset.unsaved = "";
      else delete row.item.dataset.unsaved;
      row.box.checked = proved || (mine ? mine.ticked : gate.ticked);
      row.box.disabled = proved || !applies || Boolean(state.unsaved);
      row.box.style.visibility = applies ? "" : "hidden";
      set(row.told, lost ? "not saved yet" : mine ? "saving" : gate.state);
      row.more.hidden = !applies;
      set(row.lines[0].text, `${gate.proof}.`);
      set(row.lines[1].text, `${gate.state}: ${gate.why}.`);
      set(row.lines[2].text, gate.how);
      row.lines[2].line.hidden = proved;
    }
    const next = state.ahead;
    set(ahead, next ? `Next: gate ${two(next.number)}, ${next.name}. ${next.how}` : "Every gate is proved: this week counts.");
    const remarks = state.notes.concat(state.unsaved ? [`Ticks are not saved here: ${state.unsaved}.`] : []);
    if (notes.textContent !== remarks.join("")) notes.replaceChildren(...remarks.map((text) => make("p", "note", text)));
    const count = Object.keys(pending).length;
    if (count && connected === false) {
      const what = count === 1 ? "1 tick is" : `${count} ticks are`;
      say(`${what} ${LOST}, or busy. This browser keeps what you ticked and sends it as soon as the kernel answers; ` +
        "after a restart, run the first cell of the notebook.", true);
    }
  }

  function say(text, unsaved) {
    set(status, text);
    if (unsaved) status.dataset.unsaved = "";
    else delete status.dataset.unsaved;
  }

  // ---- the kernel

  function send(content) {
    try {
      model.send(content);
    } catch (error) {
      return false; // a closed channel: the timer below says so
    }
    return true;
  }

  function pend(id, ticked) {
    const pending = readPending(key);
    const before = pending[id];
    const gate = state.gates.find((one) => one.id === id);
    const number = `${Date.now()}-${Math.random().toString(36).slice(2, 10)}`;
    const mine = before ? before.mine.concat(before.number) : [];
    pending[id] = { ticked, seen: before ? before.seen : gate.tick, number, mine };
    writePending(key, pending);
    attempts = 0;
    if (connected !== false) say("saving");
    if (connected === false) tell("help");
    flush();
    draw();
    tell("look");
  }

  function flush() {
    const pending = readPending(key);
    const ids = Object.keys(pending);
    if (!ids.length) return;
    tried = Date.now();
    for (const id of ids) send({ kind: "tick", gate: id, ...pending[id] });
    wait(() => {
      if (!Object.keys(readPending(key)).length) return;
      connected = false;
      tell("help");
      draw();
      if (attempts < AGAIN.length) {
        window.clearTimeout(later);
        later = window.setTimeout(flush, AGAIN[attempts]);
        attempts += 1;
      }
    });
  }

  function wait(after) {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(after, WAIT);
  }

  function heard(content) {
    if (!content || typeof content !== "object") return;
    connected = true;
    attempts = 0;
    if (content.kind === "ack") acknowledged(content);
    else if (content.kind === "alive") {
      if (Object.keys(readPending(key)).length) flush();
      else window.clearTimeout(waiting);
      if (asked) say(`The records were read again: ${state.progress}.`);
      asked = false;
    }
    draw();
  }

  function acknowledged({ gate: id, number, kept, why }) {
    const pending = readPending(key);
    if (!pending[id] || pending[id].number !== number) return;
    const { ticked } = pending[id];
    delete pending[id];
    writePending(key, pending);
    const gate = state.gates.find((one) => one.id === id);
    const called = gate ? `Gate ${two(gate.number)}, ${gate.name}` : id;
    if (kept) say(`${called}: ${ticked ? "ticked" : "tick taken back"}, saved. ${state.progress}.`);
    else say(`${called}: not saved: ${why}.`, true);
    if (!Object.keys(pending).length) window.clearTimeout(waiting);
    tell("look");
  }

  function changed() {
    const before = state.progress;
    state = model.get("state");
    connected = true; // it came from the kernel
    const none = !Object.keys(readPending(key)).length;
    if (none && before !== state.progress) say(`${state.progress}.`);
    if (!none && Date.now() - tried > PAUSE) flush();
    draw();
    tell("state");
  }

  // ---- other views of the same lesson in this page, and in other tabs of this browser

  function tell(what) {
    window.dispatchEvent(new CustomEvent(BUS, { detail: { what, key, state, me } }));
  }

  function told({ detail }) {
    if (detail.key !== key || detail.me === me) return;
    if (detail.what === "state" && detail.state.time > state.time) state = detail.state;
    if (detail.what === "help" && connected === true) flush();
    if (detail.what !== "help" && connected === false && !Object.keys(readPending(key)).length) say(`${state.progress}.`);
    draw();
  }

  function stored(event) {
    if (event.key === key) draw();
  }

  function returned() {
    if (document.visibilityState !== "visible" || Date.now() - tried < PAUSE) return;
    if (Object.keys(readPending(key)).length) flush();
    else if (connected === true) {
      tried = Date.now();
      send({ kind: "hello" }); // a terminal may have written records meanwhile
    }
  }

  refresh.addEventListener("click", () => {
    say("reading the records again");
    asked = true;
    send({ kind: "hello" });
    wait(() => say("The kernel has not answered yet: it is busy, or not connected. After a restart, run the first cell of " +
      "the notebook.", true));
  });
  model.on("change:state", changed);
  model.on("msg:custom", heard);
  window.addEventListener(BUS, told);
  window.addEventListener("storage", stored);
  window.addEventListener("focus", returned);
  window.addEventListener("online", returned);
  draw();
  send({ kind: "hello" });
  if (Object.keys(readPending(key)).length) flush();

  return () => {
    window.clearTimeout(waiting);
    window.clearTimeout(later);
    model.off("change:state", changed);
    model.off("msg:custom", heard);
    window.removeEventListener(BUS, told);
    window.removeEventListener("storage", stored);
    window.removeEventListener("focus", returned);
    window.removeEventListener("online", returned);
    hide.remove();
  };
}

export default { render };
