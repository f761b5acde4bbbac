// The picture: a small perspective projection of lines, outlines and solids that hang on moving points.

const scene = run.scene;
const SCALE = 1e-5; // positions are in hundredths of a millimetre

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const n = Math.hypot(...a) || 1; return a.map((x) => x / n); };

// Where the tracks are at a time, between two samples on the straight way.
function tracksAt(time) {
  const k = sampleAt(time), next = Math.min(k + 1, times.length - 1);
  const share = next > k ? Math.min(1, Math.max(0, (time - times[k]) / (times[next] - times[k]))) : 0;
  const mix = (values, width) => {
    const all = [];
    for (let i = 0; i < width; i++) all.push(values[width * k + i] * (1 - share) + values[width * next + i] * share);
    return all;
  };
  return scene.tracks.map((track) => {
    const at = { p: mix(track.p, 3).map((x) => x * SCALE) };
    if (track.r) {
      const r = mix(track.r, 4), n = Math.hypot(...r) || 1;
      at.r = r.map((x) => x / n);
    }
    return at;
  });
}

function rotate([w, ...u], v) {
  const t = cross(u, v).map((x) => 2 * x);
  return add(add(v, t.map((x) => w * x)), cross(u, t));
}

// As it stands: turned so that gravity points down, where it does not anyway.
const stand = (point) => (scene.turn ? rotate(scene.turn, point) : point);

// An anchor is [track or −1, x, y, z].
function place(tracks, [track, ...offset]) {
  if (track < 0) return stand(offset);
  const { p, r } = tracks[track];
  return stand(add(p, r ? rotate(r, offset) : offset));
}

// Bodies are told apart by their tone.
scene.shapes.filter((shape) => shape.role === "body").forEach((shape, i) => { shape.role = ["body", "body-2", "body-3", "body-4"][i % 4]; });

// Everything that is ever drawn lies in this box.
function extent() {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const take = (p, room = 0) => p.forEach((x, i) => { low[i] = Math.min(low[i], x - room); high[i] = Math.max(high[i], x + room); });
  const step = Math.max(1, Math.floor(times.length / 60));
  for (let k = 0; k < times.length; k += step) {
    const tracks = tracksAt(times[k]);
    for (const shape of scene.shapes) {
      if (shape.kind === "surface") continue;
      for (const anchor of shape.points ?? []) take(place(tracks, anchor), shape.radius);
      if (shape.at) take(place(tracks, shape.at), shape.radius ?? Math.hypot(...shape.size) / 2);
    }
  }
  if (low[0] > high[0]) { take([-0.5, -0.5, -0.5]); take([0.5, 0.5, 0.5]); }
  return { low, high, center: low.map((x, i) => (x + high[i]) / 2), size: Math.max(0.05, Math.hypot(...sub(high, low))) };
}

const stage = {
  canvas: document.getElementById("stage"),
  view: { turn: -0.9, tilt: 0.32, zoom: 1 },
  box: extent(),

  // From the scene to the screen: x right, y down, depth away.
  camera(width, height) {
    const { turn, tilt, zoom } = this.view;
    const forward = [-Math.cos(tilt) * Math.cos(turn), -Math.cos(tilt) * Math.sin(turn), -Math.sin(tilt)];
    const right = unit(cross(forward, [0, 0, 1])), above = cross(right, forward);
    const distance = 1.75 * this.box.size, focus = (1.12 * Math.min(width * 0.85, height) * distance * zoom) / this.box.size;
    return (point) => {
      const from = sub(point, this.box.center);
      const depth = dot(from, forward) + distance;
      const scale = focus / Math.max(depth, 0.05 * distance);
      return { x: width / 2 + dot(from, right) * scale, y: height / 2 - dot(from, above) * scale, depth, scale, forward };
    };
  },

  floor() {
    const surface = scene.turn ? undefined : scene.shapes.find((shape) => shape.kind === "floor");
    return surface ? surface.z : this.box.low[2] - 0.04 * this.box.size;
  },

  draw() {
    const { context: c, width, height } = prepare(this.canvas);
    const see = this.camera(width, height);
    const tracks = tracksAt(shared.time);
    const size = this.box.size, z = this.floor();
    this.drawFloor(c, see, z);
    const colors = {};
    const of = (role) => (colors[role] ??= color(role));
    // Farther things first.
    const pieces = [];
    const put = (depth, draw) => pieces.push({ depth, draw });
    const weights = { base: 0.006, arm: 0.0115, rod: 0.0042, platform: 0.007, body: 0.006, surface: 0.003 };
    const shadow = color("shadow");
    const path = (points, close) => {
      c.beginPath();
      points.forEach((p, i) => (i ? c.lineTo(p.x, p.y) : c.moveTo(p.x, p.y)));
      if (close) c.closePath();
    };
    const drop = ([x, y]) => see([x, y, z]);
    c.lineCap = c.lineJoin = "round";
    for (const shape of scene.shapes) {
      if (shape.kind === "line") {
        const points = shape.points.map((anchor) => place(tracks, anchor));
        const weight = weights[shape.role] * size;
        c.strokeStyle = shadow;
        const shade = points.map(drop);
        c.lineWidth = Math.max(1, weight * shade[0].scale);
        path(shade); c.stroke();
        if (shape.role === "arm") {
          for (const point of points) {
            const p = see(point);
            put(p.depth - 0.01 * size, () => {
              c.fillStyle = of("base");
              c.beginPath(); c.arc(p.x, p.y, Math.max(1.5, 0.62 * weight * p.scale), 0, 2 * Math.PI); c.fill();
            });
          }
        }
        for (let i = 1; i < points.length; i++) {
          const [a, b] = [see(points[i - 1]), see(points[i])];
          const wide = Math.max(1.2, weight * 0.5 * (a.scale + b.scale));
          put(0.5 * (a.depth + b.depth), () => {
            c.strokeStyle = of(shape.role);
            c.lineWidth = wide;
            path([a, b]); c.stroke();
            // A lighter core makes a rod of a line.
            c.strokeStyle = "rgba(255,255,255,0.22)";
            c.lineWidth = wide * 0.35;
            path([a, b]); c.stroke();
          });
        }
      } else if (shape.kind === "polygon") {
        const points = shape.points.map((anchor) => place(tracks, anchor));
        c.fillStyle = shadow;
        path(points.map(drop), true); c.fill();
        const seen = points.map(see);
        put(seen.reduce((sum, p) => sum + p.depth, 0) / seen.length, () => {
          c.fillStyle = c.strokeStyle = of(shape.role);
          c.globalAlpha = shape.role === "surface" ? 0.35 : 0.75;
          path(seen, true); c.fill();
          c.globalAlpha = 1;
          c.lineWidth = Math.max(1, weights[shape.role] * 0.6 * size * seen[0].scale);
          path(seen, true); c.stroke();
        });
      } else if (shape.kind === "box") this.drawBox(c, see, tracks, shape, of(shape.role), put, path, drop, shadow);
      else if (shape.kind === "cylinder") this.drawCylinder(c, see, tracks, shape, of(shape.role), put, path, drop, shadow);
      else if (shape.kind === "sphere") {
        const center = place(tracks, shape.at), p = see(center), r = Math.max(2, shape.radius * p.scale), d = drop(center);
        c.fillStyle = shadow;
        c.beginPath(); c.ellipse(d.x, d.y, r, r * 0.4, 0, 0, 2 * Math.PI); c.fill();
        put(p.depth, () => {
          const light = c.createRadialGradient(p.x - 0.35 * r, p.y - 0.4 * r, 0.1 * r, p.x, p.y, r);
          light.addColorStop(0, "#fff");
          light.addColorStop(0.25, of(shape.role));
          light.addColorStop(1, of(shape.role));
          c.fillStyle = light;
          c.beginPath(); c.arc(p.x, p.y, r, 0, 2 * Math.PI); c.fill();
        });
      } else if (shape.kind === "trace") this.drawTrace(c, see, shape.track, of("accent"));
    }
    pieces.sort((a, b) => b.depth - a.depth).forEach((piece) => piece.draw());
  },

  drawFloor(c, see, z) {
    const { center, size } = this.box;
    const step = [1, 2, 5, 10].map((s) => s * 10 ** Math.floor(Math.log10(size / 8))).find((s) => s >= size / 10);
    const count = 8;
    const [x0, y0] = [Math.round(center[0] / step) * step, Math.round(center[1] / step) * step];
    c.strokeStyle = color("floor");
    c.lineWidth = 1;
    for (let k = -count; k <= count; k++) {
      // Fainter towards the edge.
      c.globalAlpha = 1 - 0.85 * Math.abs(k) / count;
      for (const [a, b] of [[[k, -count], [k, count]], [[-count, k], [count, k]]]) {
        const [p, q] = [a, b].map(([i, j]) => see([x0 + i * step, y0 + j * step, z]));
        c.beginPath(); c.moveTo(p.x, p.y); c.lineTo(q.x, q.y); c.stroke();
      }
    }
    c.globalAlpha = 1;
  },

  drawCylinder(c, see, tracks, shape, fill, put, path, drop, shadow) {
    const sides = 20, light = unit([0.4, -0.5, 0.8]);
    const ends = shape.points.map((anchor) => place(tracks, anchor));
    if (Math.hypot(...sub(ends[1], ends[0])) < 1e-9) return;
    const axis = unit(sub(ends[1], ends[0]));
    const across = unit(cross(axis, Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0])), third = cross(axis, across);
    const around = Array.from({ length: sides }, (_, i) => {
      const [s, t] = [Math.cos((2 * Math.PI * i) / sides), Math.sin((2 * Math.PI * i) / sides)];
      return across.map((x, k) => s * x + t * third[k]);
    });
    const rings = ends.map((end) => around.map((normal) => add(end, normal.map((x) => shape.radius * x))));
    const shade = ends.map(drop);
    c.strokeStyle = shadow;
    c.lineWidth = 2 * shape.radius * shade[0].scale;
    path(shade); c.stroke();
    const middle = see(add(...ends).map((x) => x / 2));
    const faces = around.map((normal, i) => {
      const next = (i + 1) % sides;
      const corners = [rings[0][i], rings[0][next], rings[1][next], rings[1][i]];
      return { normal: unit(add(normal, around[next])), corners };
    });
    faces.push({ normal: axis, corners: rings[1] }, { normal: axis.map((x) => -x), corners: rings[0] });
    // It is convex: the faces that look at us hide the others.
    const seen = faces.filter(({ normal }) => dot(normal, middle.forward) < 0).map(({ normal, corners }) => ({
      corners: corners.map(see), cap: corners.length > 4, shade: 0.42 * (1 - Math.max(0, dot(normal, light))),
    }));
    put(middle.depth, () => {
      for (const { corners, cap, shade } of seen) {
        path(corners, true);
        c.fillStyle = c.strokeStyle = `color-mix(in srgb, ${fill}, black ${Math.round(100 * shade)}%)`;
        c.lineWidth = 0.6;
        c.fill(); c.stroke(); // the stroke closes the seams
        if (cap) { c.strokeStyle = "rgba(0,0,0,0.28)"; c.lineWidth = 0.8; c.stroke(); }
      }
    });
  },

  drawBox(c, see, tracks, shape, fill, put, path, drop, shadow) {
    const half = shape.size.map((x) => x / 2), [track, ...offset] = shape.at;
    const corner = (signs) => place(tracks, [track, ...offset.map((x, i) => x + signs[i] * half[i])]);
    const center = place(tracks, shape.at);
    const light = unit([0.4, -0.5, 0.8]);
    for (let axis = 0; axis < 3; axis++) {
      for (const side of [-1, 1]) {
        const [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
        const points = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => {
          const signs = [0, 0, 0];
          [signs[axis], signs[j], signs[k]] = [side, a, b];
          return corner(signs);
        });
        c.fillStyle = shadow;
        if (axis === 2 && side === -1) { path(points.map(drop), true); c.fill(); }
        const middle = points.reduce(add).map((x) => x / 4), normal = unit(sub(middle, center));
        const seen = points.map(see);
        // Only the faces that look at us.
        const area = seen.reduce((sum, p, i) => sum + p.x * seen[(i + 1) % 4].y - p.y * seen[(i + 1) % 4].x, 0);
        if (area * side > 0) continue;
        const shade = 0.3 * (1 - Math.max(0, dot(normal, light)));
        put(see(middle).depth, () => {
          c.fillStyle = fill;
          path(seen, true); c.fill();
          c.fillStyle = `rgba(0,0,0,${shade})`;
          c.fill();
          c.strokeStyle = "rgba(0,0,0,0.28)";
          c.lineWidth = 0.8;
          c.stroke();
        });
      }
    }
  },

  // All of the path faintly, what has been gone strongly.
  drawTrace(c, see, track, stroke) {
    const p = scene.tracks[track].p, now = sampleAt(shared.time);
    c.strokeStyle = stroke;
    for (const [until, alpha, wide] of [[times.length - 1, 0.22, 1], [now, 0.85, 1.6]]) {
      c.globalAlpha = alpha;
      c.lineWidth = wide;
      c.beginPath();
      for (let k = 0; k <= until; k++) {
        const q = see(stand([p[3 * k] * SCALE, p[3 * k + 1] * SCALE, p[3 * k + 2] * SCALE]));
        if (k) c.lineTo(q.x, q.y); else c.moveTo(q.x, q.y);
      }
      c.stroke();
    }
    c.globalAlpha = 1;
  },

  turn(dx, dy) {
    this.view.turn -= dx;
    this.view.tilt = Math.min(1.5, Math.max(-1.5, this.view.tilt + dy));
    changed();
  },
  zoom(factor) {
    this.view.zoom = Math.min(12, Math.max(0.2, this.view.zoom * factor));
    changed();
  },

  listen() {
    const canvas = this.canvas;
    let last;
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); last = event; });
    canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      this.turn((event.clientX - last.clientX) * 0.008, (event.clientY - last.clientY) * 0.008);
      last = event;
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { last = undefined; });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.001));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      if (event.key === "ArrowLeft") this.turn(-0.1, 0);
      else if (event.key === "ArrowRight") this.turn(0.1, 0);
      else if (event.key === "ArrowUp") this.turn(0, 0.08);
      else if (event.key === "ArrowDown") this.turn(0, -0.08);
      else if (event.key === "+" || event.key === "=") this.zoom(1.15);
      else if (event.key === "-") this.zoom(1 / 1.15);
      else if (event.key === " ") player.toggle();
      else return;
      event.preventDefault();
    });
    shared.listeners.push(() => this.draw());
  },
};

// Play, pause, scrub.
const player = {
  playing: false,
  button: document.getElementById("play"),
  scrub: document.getElementById("scrub"),
  speed: document.getElementById("speed"),

  set(playing) {
    this.playing = playing;
    this.button.setAttribute("aria-label", playing ? "Pause" : "Play");
    document.getElementById("play-icon").setAttribute("d", playing ? "M4 2.5h3v11H4zM9 2.5h3v11H9z" : "M4 2.5v11l9-5.5z");
  },
  pause() { if (this.playing) this.set(false); },
  toggle() {
    if (this.playing) return this.set(false);
    if (shared.time >= ends[1]) goTo(ends[0]);
    this.set(true);
    let before = performance.now();
    const step = (now) => {
      if (!this.playing) return;
      goTo(shared.time + ((now - before) / 1000) * Number(this.speed.value));
      before = now;
      if (shared.time >= ends[1]) this.set(false); else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  },
  listen() {
    const span = ends[1] - ends[0];
    this.button.addEventListener("click", () => this.toggle());
    this.scrub.addEventListener("input", () => { this.pause(); goTo(ends[0] + (span * this.scrub.value) / 1000); });
    document.getElementById("reset").addEventListener("click", () => {
      stage.view = { turn: -0.9, tilt: 0.32, zoom: 1 };
      showAll();
    });
    // What takes a long time is shown faster, what is over in a blink slower.
    if (span > 30) this.speed.value = "5"; else if (span < 0.3) this.speed.value = "0.1"; else if (span < 1) this.speed.value = "0.25";
    shared.listeners.push(() => {
      this.scrub.value = span > 0 ? Math.round((1000 * (shared.time - ends[0])) / span) : 0;
      document.getElementById("clock").textContent = shared.time.toFixed(span < 1 ? 4 : 3) + " s";
    });
  },
};

stage.listen();
player.listen();
const plots = run.plots.map((about) => new Plot(document.getElementById("plots"), about));
new ResizeObserver(changed).observe(document.body);
new ResizeObserver(changed).observe(stage.canvas);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
// At once: a page in the background, or one that is printed, gets no animation frames.
tell();
