"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  document.documentElement.classList.add("js");

  const { player, matrix: table } = JSON.parse($("data").textContent);
  const timeline = $("timeline"), canvas = $("canvas"), ruler = $("ruler"), head = $("playhead");
  const start = Number(timeline.dataset.start), end = Number(timeline.dataset.end);
  const span = Math.max(end - start, 1e-3);
  const film = $("film"), still = $("still"), noplay = $("noplay"), now = $("now");
  const frames = all(".frame"), marks = all(".mark").sort((a, b) => time(a) - time(b));
  const rows = all("#list > li");
  const rowOf = new Map(rows.map((row) => [row.dataset.f, row]));
  let current = start, attempt = 0, part = 0, playing = film !== null, zoom = 1, chosen = null;

  function time(element) { return Number(element.dataset.t); }
  function clamp(value, low, high) { return Math.min(Math.max(value, low), high); }
  function clock(seconds) {
    const tenths = Math.round(Math.max(seconds, 0) * 10), minutes = Math.floor(tenths / 600);
    const tail = String(Math.floor((tenths % 600) / 10)).padStart(2, "0") + "." + (tenths % 10);
    const hours = Math.floor(minutes / 60);
    return hours ? hours + ":" + String(minutes % 60).padStart(2, "0") + ":" + tail : minutes + ":" + tail;
  }

  // --- the film, which may be several clips on one clock
  const sources = () => player.attempts[attempt];
  function load(index, offset, play) {
    part = index;
    film.src = sources()[index].url;
    film.addEventListener("loadedmetadata", () => {
      film.currentTime = offset;
      if (play) film.play().catch(() => { /* the browser wants a gesture first; the play button stays */ });
    }, { once: true });
  }
  function seekFilm(seconds) {
    const list = sources();
    let index = 0;
    for (let i = 0; i < list.length; i++) if (list[i].start <= seconds + 1e-6) index = i;
    const offset = Math.max(0, seconds - list[index].start);
    if (index !== part || film.readyState === 0) load(index, offset, !film.paused);
    else film.currentTime = offset;
  }
  function cannotPlay() {
    if (!playing) return;
    if (attempt + 1 < player.attempts.length) { attempt += 1; load(0, 0, false); seekFilm(current); return; }
    playing = false;
    film.pause();
    film.hidden = true;
    noplay.hidden = false;
    showStill(current);
  }
  if (film) {
    film.addEventListener("error", cannotPlay);
    film.addEventListener("loadedmetadata", () => { if (!film.videoWidth) cannotPlay(); });
    film.addEventListener("timeupdate", () => { if (playing && !film.seeking) show(sources()[part].start + film.currentTime); });
    film.addEventListener("ended", () => { if (part + 1 < sources().length) load(part + 1, 0, true); });
    if (film.error || (film.readyState > 0 && !film.videoWidth)) cannotPlay();
  }

  // --- where we are
  const pictured = frames.filter((frame) => frame.querySelector("img"));
  function lastBefore(list, seconds) {
    return list.findLast((frame) => time(frame) <= seconds + 0.05) || list[0] || null;
  }
  const nearestFrame = (seconds) => lastBefore(frames, seconds);
  function showStill(seconds) {
    const frame = lastBefore(pictured, seconds), image = frame && frame.querySelector("img");
    still.hidden = !image;
    if (image) { still.src = image.src; still.alt = image.alt; }
  }
  function show(seconds) {
    current = clamp(seconds, start, end);
    now.textContent = clock(current);
    head.style.left = 100 * (current - start) / span + "%";
    ruler.setAttribute("aria-valuenow", current.toFixed(2));
    ruler.setAttribute("aria-valuetext", clock(current));
    const here = nearestFrame(current);
    for (const frame of frames) frame.classList.toggle("here", frame === here);
    if (!playing) showStill(current);
    follow();
  }
  function seek(seconds) {
    show(seconds);
    if (playing) seekFilm(current);
    const x = canvas.clientWidth * (current - start) / span, view = timeline.clientWidth;
    if (x < timeline.scrollLeft || x > timeline.scrollLeft + view) timeline.scrollLeft = x - view / 3;
    const here = nearestFrame(current), strip = $("strip");
    if (here && strip) strip.scrollLeft = here.offsetLeft - strip.offsetLeft - strip.clientWidth / 3;
  }

  // --- transcript: the line of now is kept in sight, unless somebody reads or searches
  const speech = $("lines"), lines = speech ? all("li", speech) : [];
  let spoken = null, hits = [], hit = -1;
  function follow() {
    const line = lines.findLast((li) => time(li) <= current + 0.05) || null;
    if (line === spoken) return;
    if (spoken) spoken.classList.remove("here");
    if (line) line.classList.add("here");
    spoken = line;
    if (line && !hits.length && !speech.matches(":hover")) reveal(line);
  }
  function reveal(line) {
    const top = line.offsetTop - speech.offsetTop, room = speech.clientHeight;
    if (top < speech.scrollTop || top + line.offsetHeight > speech.scrollTop + room) speech.scrollTop = top - room / 3;
  }
  // Letters and digits of a text alone, so that "hello world" finds "Hello, world".
  const bare = (text) => text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\s]/gu, "");
  function places(line) {
    let text = "";
    const words = [];
    for (const node of line.querySelector("p").childNodes) {
      if (node.nodeName === "SPAN") {
        const word = bare(node.textContent);
        words.push({ node, from: text.length, to: text.length + word.length });
        text += word;
      } else if (node.nodeType === Node.TEXT_NODE && !text.endsWith(" ")) text += " ";
    }
    return { text, words };
  }
  function search() {
    const wanted = bare($("find").value).trim().replace(/\s+/g, " ");
    for (const word of hits.flat()) word.classList.remove("hit", "at");
    hits = [];
    hit = -1;
    for (const line of lines) {
      const before = hits.length;
      if (wanted) {
        const { text, words } = places(line);
        for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
          hits.push(words.filter((w) => w.from < at + wanted.length && w.to > at).map((w) => w.node));
        }
      }
      line.hidden = wanted !== "" && hits.length === before;
    }
    for (const word of hits.flat()) word.classList.add("hit");
    $("hits").textContent = !wanted ? "" : hits.length === 1 ? "1 match" : (hits.length || "no") + " matches";
    for (const id of ["find-prev", "find-next"]) $(id).disabled = !hits.length;
    if (!wanted && spoken) reveal(spoken);
  }
  function goto(by) {
    if (!hits.length) return;
    for (const word of hits[hit] || []) word.classList.remove("at");
    hit = hit < 0 ? (by > 0 ? 0 : hits.length - 1) : (hit + by + hits.length) % hits.length;
    const words = hits[hit], line = words[0].closest("li");
    for (const word of words) word.classList.add("at");
    reveal(line);
    $("hits").textContent = "match " + (hit + 1) + " of " + hits.length;
    seek(time(words.find((word) => word.dataset.t) || line));
  }
  if (speech) {
    $("find").addEventListener("input", search);
    $("find").addEventListener("keydown", (event) => {
      if (event.key === "Enter") goto(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") { $("find").value = ""; search(); }
      else return;
      event.preventDefault();
    });
    $("find-prev").addEventListener("click", () => goto(-1));
    $("find-next").addEventListener("click", () => goto(1));
    speech.addEventListener("click", (event) => {
      const word = event.target.closest("span[data-t]");
      if (word && !String(getSelection())) seek(time(word));
    });
  }

  // --- likeness of shots: three characters a pair, row after row of a triangle
  const matrix = $("matrix");
  function valueOf(text, a, b) {
    const high = Math.max(a, b), low = Math.min(a, b), at = 3 * (high * (high - 1) / 2 + low);
    const digits = text.slice(at, at + 3);
    return a === b || digits.length < 3 || digits === "---" ? null : Number(digits) / 100;
  }
  let square = null;
  function shotButton(i) {
    const button = document.createElement("button"), shot = table.shots[i], seconds = table.times[i];
    const picture = document.querySelector('.frame[data-shot="' + shot + '"] img');
    button.type = "button";
    button.className = "frame";
    if (seconds !== null) button.dataset.t = seconds;
    if (picture) { const copy = picture.cloneNode(); copy.alt = ""; button.append(copy); }
    const caption = document.createElement("span");
    caption.className = "cap";
    caption.textContent = "Shot " + (shot + 1) + (seconds === null ? "" : ", " + clock(seconds));
    button.append(caption);
    return button;
  }
  function pick(x, y) {
    const n = table.shots.length;
    square = [clamp(x, 0, n - 1), clamp(y, 0, n - 1)];
    [x, y] = square;
    $("cell").setAttribute("d", "M" + x + " " + y + "h1v1h-1z");
    const likeness = valueOf(table.likeness, x, y), scene = valueOf(table.scene, x, y);
    const said = document.createElement("p");
    const names = x === y ? "Shot " + (table.shots[x] + 1) : "Shots " + (table.shots[y] + 1) + " and " + (table.shots[x] + 1);
    said.textContent = names + (x === y ? ": itself" : likeness === null ? ": not compared" : ": likeness " + likeness.toFixed(2)) +
      (x === y || !table.scene ? "" : scene === null ? ", one place or two is not sure" : ", likely " + (scene < 0.5 ? "two places" : "one place"));
    const shots = document.createElement("div");
    shots.className = "shots";
    shots.append(...(x === y ? [y] : [y, x]).map(shotButton));
    $("pair").replaceChildren(said, shots);
  }
  if (matrix) {
    const squares = matrix.querySelector("svg");
    const at = (event) => {
      const box = squares.getBoundingClientRect(), n = table.shots.length;
      pick(Math.floor(n * (event.clientX - box.left) / box.width), Math.floor(n * (event.clientY - box.top) / box.height));
    };
    let held = false;
    squares.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse" && !held) at(event); });
    squares.addEventListener("click", (event) => { held = event.detail > 0 && !held; at(event); });
    matrix.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!by) return;
      const [x, y] = square || [1 - by[0], -by[1]];
      pick(x + by[0], y + by[1]);
      event.preventDefault();
    });
  }

  // --- findings
  function choose(id) {
    const row = rowOf.get(id);
    if (!row) return;
    chosen = id;
    for (const mark of marks) mark.classList.toggle("on", mark.dataset.f === id);
    for (const other of rows) other.classList.toggle("on", other === row);
    $("chosen").replaceChildren(...all("div > p", row).map((p) => p.cloneNode(true)));
    const list = $("list");
    if (list.scrollHeight > list.clientHeight) list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 3;
  }
  function step(by) {
    const shown = marks.filter((mark) => !mark.hidden);
    if (!shown.length) return;
    const at = shown.findIndex((mark) => mark.dataset.f === chosen);
    const next = at < 0 ? (by > 0 ? 0 : shown.length - 1) : clamp(at + by, 0, shown.length - 1);
    choose(shown[next].dataset.f);
    seek(time(shown[next]));
    return shown[next];
  }
  const severities = all("[data-severity]"), dimension = $("dimension");
  function filter() {
    const on = new Set(severities.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.dataset.severity));
    let count = 0;
    for (const row of rows) {
      row.hidden = !on.has(row.dataset.s) || (dimension.value !== "" && row.dataset.d !== dimension.value);
      count += row.hidden ? 0 : 1;
    }
    for (const mark of marks) { const row = rowOf.get(mark.dataset.f); mark.hidden = row ? row.hidden : false; }
    if ($("count")) $("count").textContent = count === rows.length ? count + " findings" : count + " of " + rows.length + " findings";
  }
  for (const button of severities) button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    filter();
  });
  if (dimension) { dimension.addEventListener("change", filter); filter(); }

  // --- zoom: the canvas grows, everything on it is placed in per cent
  function ticks() {
    const wanted = Math.max(3, Math.floor(canvas.clientWidth / 90));
    const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200].find((s) => span / s <= wanted) || 14400;
    const marks = [];
    for (let i = Math.ceil(start / step); i * step <= end; i++) {
      const tick = document.createElement("span");
      tick.style.left = 100 * (i * step - start) / span + "%";
      tick.textContent = clock(i * step);
      marks.push(tick);
    }
    ruler.replaceChildren(...marks);
  }
  function setZoom(value, keep = current) {
    const widest = Math.max(1, Math.min(300000, span * 1000) / timeline.clientWidth);
    const x = (keep - start) / span, before = canvas.clientWidth * x - timeline.scrollLeft;
    zoom = clamp(value, 1, widest);
    canvas.style.width = 100 * zoom + "%";
    timeline.scrollLeft = canvas.clientWidth * x - clamp(before, 0, timeline.clientWidth);
    ticks();
  }
  $("in").addEventListener("click", () => setZoom(zoom * 2));
  $("out").addEventListener("click", () => setZoom(zoom / 2));
  $("fit").addEventListener("click", () => setZoom(1));
  function timeAt(event) {
    const box = canvas.getBoundingClientRect();
    return start + span * clamp((event.clientX - box.left) / box.width, 0, 1);
  }
  timeline.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    setZoom(zoom * (event.deltaY < 0 ? 1.25 : 0.8), timeAt(event));
  }, { passive: false });
  window.addEventListener("resize", () => setZoom(zoom));

  // --- a link to something folded opens it
  function unfold() {
    const target = location.hash.length > 1 && $(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    for (const box of target.querySelectorAll(":scope > details")) box.open = true;
    target.scrollIntoView();
  }
  window.addEventListener("hashchange", unfold);

  // --- clicks and keys
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-t]");
    if (button) {
      if (button.dataset.f) choose(button.dataset.f);
      seek(time(button));
      if (!button.closest("#watch")) $("watch").scrollIntoView();
    } else if (event.target.closest("#canvas") && !event.target.closest("summary")) seek(timeAt(event));
  });
  if ($("prev")) { $("prev").addEventListener("click", () => step(-1)); $("next").addEventListener("click", () => step(1)); }
  if (marks.length) marks[0].tabIndex = 0;
  timeline.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.target.classList.contains("mark") && by) {
      const next = step(by);
      if (next) { for (const mark of marks) mark.tabIndex = mark === next ? 0 : -1; next.focus({ preventScroll: true }); }
    } else if (event.target === ruler && by) seek(current + by * (event.shiftKey ? 10 : 1));
    else if (event.target === ruler && event.key === "Home") seek(start);
    else if (event.target === ruler && event.key === "End") seek(end);
    else if (event.key === "+" || event.key === "=") setZoom(zoom * 2);
    else if (event.key === "-") setZoom(zoom / 2);
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, input, textarea")) return;
    if (event.key === "n" || event.key === "N") step(1);
    else if (event.key === "p" || event.key === "P") step(-1);
  });
  window.addEventListener("beforeprint", () => { for (const box of all("details")) box.open = true; });

  setZoom(1);
  show(start);
  unfold();
})();
