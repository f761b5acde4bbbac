// Line plots that share their time axis and their cursor.
"use strict";

const run = JSON.parse(document.getElementById("run").textContent);
const times = run.t;
const ends = [times[0] ?? 0, times[times.length - 1] ?? 0];
const shared = { from: ends[0], to: ends[1], time: ends[0], listeners: [] };

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
// The cursor is here: everybody is told.
function goTo(time) {
  shared.time = Math.min(ends[1], Math.max(ends[0], time));
  changed();
}

function tell() {
  shared.listeners.forEach((listener) => listener());
}
let waiting = false;
function changed() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    tell();
  });
}

// The last sample not after a time.
function sampleAt(time) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle; else high = middle - 1;
  }
  return low;
}
function nearestSample(time) {
  const k = sampleAt(time);
  return k + 1 < times.length && times[k + 1] - time < time - times[k] ? k + 1 : k;
}

function number(value, digits = 5) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size < 1e-3 || size >= 1e6 ? value.toExponential(2) : String(+value.toPrecision(digits));
  return text.replace(/^-/, "−");
}

// Sharp on every screen; the context draws in CSS pixels.
function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const box = canvas.getBoundingClientRect();
  const width = Math.max(1, Math.round(box.width)), height = Math.max(1, Math.round(box.height));
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

// Round numbers between two ends.
function ticks(from, to, most) {
  const span = to - from;
  if (!(span > 0)) return [from];
  const raw = span / most, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((s) => s * power >= raw) * power;
  const first = Math.ceil(from / step - 1e-9);
  const all = [];
  for (let k = first; k * step <= to + 1e-9 * step; k++) all.push(+(k * step).toPrecision(12));
  return all;
}

// The text of a tick: as many digits as tell it from its neighbours.
function tickText(value, all) {
  const step = all.length > 1 ? Math.abs(all[1] - all[0]) : Math.abs(value) || 1;
  const size = Math.abs(value), power = Math.floor(Math.log10(step) + 1e-9);
  if (size < 1e-6 * step) return "0";
  const most = Math.max(...all.map(Math.abs));
  const text = most >= 1e6 || step < 1e-4
    ? value.toExponential(Math.max(0, Math.min(14, Math.floor(Math.log10(size) + 1e-9) - power)))
    : value.toFixed(Math.max(0, -power));
  return text.replace(/-/g, "−").replace("e+", "e");
}

const ONE = 1e-18; // what a logarithmic axis shows as zero
// All plots have one, so that their times stand below each other; wider where a number needs it.
const margin = { left: 58, right: 10, top: 8, bottom: 22 };

class Plot {
  constructor(parent, about) {
    this.about = about;
    this.lines = about.lines.map((line, i) => ({ ...line, color: "c" + (i % 8), shown: true }));
    const card = document.createElement("section");
    card.className = "card plot";
    const head = document.createElement("div");
    head.className = "head";
    const title = document.createElement("h2");
    title.textContent = about.title + " ";
    const unit = document.createElement("span");
    unit.textContent = about.unit;
    title.append(unit);
    const legend = document.createElement("div");
    legend.className = "legend";
    for (const line of this.lines) {
      const button = document.createElement("button");
      button.type = "button";
      button.title = line.meaning;
      button.setAttribute("aria-pressed", "true");
      const mark = document.createElement("i");
      mark.style.background = `var(--${line.color})`;
      line.value = document.createElement("b");
      button.append(mark, line.name, line.value);
      button.addEventListener("click", () => {
        line.shown = !line.shown;
        button.setAttribute("aria-pressed", String(line.shown));
        changed();
      });
      legend.append(button);
    }
    head.append(title, legend);
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${about.title} over time: ${about.lines.map((l) => l.name).join(", ")}`);
    card.append(head, this.canvas);
    parent.append(card);
    this.listen();
    shared.listeners.push(() => this.draw());
  }

  listen() {
    const canvas = this.canvas;
    const timeAt = (event) => {
      const box = canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
      return shared.from + Math.min(1, Math.max(0, share)) * (shared.to - shared.from);
    };
    canvas.addEventListener("pointermove", (event) => {
      if (this.drag !== undefined) this.dragTo = timeAt(event);
      player.pause();
      goTo(times[nearestSample(timeAt(event))] ?? 0);
    });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.drag = this.dragTo = timeAt(event);
    });
    const release = () => {
      const [a, b] = [Math.min(this.drag, this.dragTo), Math.max(this.drag, this.dragTo)];
      this.drag = undefined;
      // A click is no zoom.
      if (b - a > 0.01 * (shared.to - shared.from)) [shared.from, shared.to] = [a, b];
      changed();
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", () => { this.drag = undefined; changed(); });
    canvas.addEventListener("dblclick", showAll);
    canvas.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 10 : 1;
      const at = nearestSample(shared.time);
      if (event.key === "ArrowRight") goTo(times[Math.min(times.length - 1, at + step)]);
      else if (event.key === "ArrowLeft") goTo(times[Math.max(0, at - step)]);
      else if (event.key === "+" || event.key === "=") zoomTime(0.5);
      else if (event.key === "-") zoomTime(2);
      else if (event.key === "0" || event.key === "Escape") showAll();
      else if (event.key === " ") player.toggle();
      else return;
      event.preventDefault();
    });
  }

  // Least and most of what is shown.
  range(first, last) {
    let low = Infinity, high = -Infinity;
    for (const line of this.lines) {
      if (!line.shown) continue;
      for (let k = first; k <= last; k++) {
        const value = typeof line.y === "number" ? line.y : line.y[k];
        if (value === null || (this.about.log && !(value > ONE))) continue;
        if (value < low) low = value;
        if (value > high) high = value;
        if (typeof line.y === "number") break;
      }
    }
    if (this.about.log) {
      if (low > high) return [1e-16, 1];
      return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high) + 1e-9)];
    }
    if (low > high) return [-1, 1];
    const room = 0.06 * (high - low) || 0.05 * Math.abs(high) || 1;
    return [low - room, high + room];
  }

  draw() {
    const { context: c, width, height } = prepare(this.canvas);
    const first = Math.max(0, sampleAt(shared.from)), last = Math.min(times.length - 1, sampleAt(shared.to) + 1);
    const [low, high] = this.range(first, last);
    const log = this.about.log;
    let rows;
    if (log) {
      const [a, b] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
      const stride = Math.max(1, Math.ceil((b - a) / 5));
      rows = [];
      for (let e = a; e <= b; e += stride) rows.push(10 ** e);
    } else rows = ticks(low, high, 5);
    const labels = rows.map((value) => (log ? `1e${Math.round(Math.log10(value))}`.replace("-", "−") : tickText(value, rows)));
    c.font = "11px system-ui, sans-serif";
    const needed = Math.ceil(Math.max(0, ...labels.map((text) => c.measureText(text).width))) + 8;
    if (needed > margin.left) {
      margin.left = needed;
      changed();
    }
    const inner = { w: width - margin.left - margin.right, h: height - margin.top - margin.bottom };
    const up = (v) => (log ? Math.log10(Math.max(v, low)) : v);
    const x = (t) => margin.left + ((t - shared.from) / (shared.to - shared.from || 1)) * inner.w;
    const y = (v) => margin.top + (1 - (up(v) - up(low)) / (up(high) - up(low) || 1)) * inner.h;
    c.lineWidth = 1;
    c.strokeStyle = color("grid");
    c.fillStyle = color("soft");
    c.textAlign = "right";
    c.textBaseline = "middle";
    rows.forEach((value, k) => {
      const at = Math.round(y(value)) + 0.5;
      c.beginPath(); c.moveTo(margin.left, at); c.lineTo(width - margin.right, at); c.stroke();
      c.fillText(labels[k], margin.left - 6, at);
    });
    c.textAlign = "center";
    c.textBaseline = "top";
    const moments = ticks(shared.from, shared.to, Math.max(2, inner.w / 90));
    for (const time of moments) {
      const at = Math.round(x(time)) + 0.5, text = tickText(time, moments) + " s";
      c.beginPath(); c.moveTo(at, margin.top); c.lineTo(at, margin.top + inner.h); c.stroke();
      c.fillText(text, Math.min(width - 0.5 * c.measureText(text).width - 1, at), height - margin.bottom + 6);
    }
    if (this.drag !== undefined) {
      c.fillStyle = color("accent");
      c.globalAlpha = 0.12;
      c.fillRect(x(this.drag), margin.top, x(this.dragTo) - x(this.drag), inner.h);
      c.globalAlpha = 1;
    }
    c.save();
    c.beginPath(); c.rect(margin.left, margin.top - 2, inner.w, inner.h + 4); c.clip();
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    const now = nearestSample(shared.time);
    for (const line of this.lines) {
      const at = (k) => (typeof line.y === "number" ? line.y : line.y[k]);
      line.value.textContent = number(at(now), 4);
      if (!line.shown) continue;
      c.strokeStyle = c.fillStyle = color(line.color);
      c.beginPath();
      let open = false;
      for (let k = first; k <= last; k++) {
        const value = at(k);
        if (value === null || (log && !(value > ONE))) { open = false; continue; }
        if (open) c.lineTo(x(times[k]), y(value)); else c.moveTo(x(times[k]), y(value));
        open = true;
      }
      c.stroke();
    }
    const cursor = x(times[now] ?? 0);
    c.strokeStyle = color("soft");
    c.lineWidth = 1;
    c.setLineDash([3, 3]);
    c.beginPath(); c.moveTo(cursor, margin.top); c.lineTo(cursor, margin.top + inner.h); c.stroke();
    c.setLineDash([]);
    for (const line of this.lines) {
      const value = typeof line.y === "number" ? line.y : line.y[now];
      if (!line.shown || value === null || value === undefined || (log && !(value > ONE))) continue;
      c.fillStyle = color(line.color);
      c.beginPath(); c.arc(cursor, y(value), 3, 0, 2 * Math.PI); c.fill();
    }
    c.restore();
  }
}

function showAll() {
  [shared.from, shared.to] = ends;
  changed();
}
function zoomTime(factor) {
  const half = Math.min(ends[1] - ends[0], factor * (shared.to - shared.from)) / 2;
  const middle = Math.min(ends[1] - half, Math.max(ends[0] + half, shared.time));
  [shared.from, shared.to] = [Math.max(ends[0], middle - half), Math.min(ends[1], middle + half)];
  changed();
}
