// The pool's page: sends the same requests as the commands, and redraws every few seconds. It
// inserts all received values as text.
"use strict";

// With more GPUs the page requests no curve per GPU: each is 8 kB.
const EVERY_MS = 3000,
  HOUR_MS = 3600e3,
  CURVES_MAX = 256,
  GIB = 2 ** 30;
const $ = id => document.getElementById(id);
const TOKEN = "outhaul-token";

const make = (tag, text, ...children) => {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  element.className = classes.join(" ");
  if (text) element.textContent = text;
  element.append(...children);
  return element;
};
const draw = (tag, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

class Refused extends Error {}

async function ask(path) {
  const token = sessionStorage.getItem(TOKEN);
  const answer = await fetch(path, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
    cache: "no-store",
  });
  const body = await answer.json();
  if (answer.status === 401) throw new Refused(body.error);
  if (!answer.ok) throw new Error(body.error);
  return body;
}

const gib = bytes => `${(bytes / GIB).toFixed(bytes < 10 * GIB ? 1 : 0)} GiB`;
const percent = part => `${Math.round(part)} %`;
const joules = mj =>
  mj >= 3.6e9
    ? `${(mj / 3.6e9).toFixed(2)} kWh`
    : mj >= 1e6
      ? `${(mj / 1e6).toFixed(1)} kJ`
      : `${Math.round(mj / 1e3)} J`;
const long = ms =>
  ms < 120e3
    ? `${Math.round(ms / 1e3)} s`
    : ms < 7200e3
      ? `${Math.round(ms / 60e3)} min`
      : `${(ms / HOUR_MS).toFixed(1)} h`;
const many = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

function bar(what, part, said) {
  const rail = make("i");
  rail.style.setProperty("--part", Math.max(0, Math.min(100, part)));
  return make("div.bar", "", make("span", what), rail, make("span", said));
}

function item(title, line, live, ...more) {
  return make(live ? "div.item.live" : "div.item", "", make("h3", title), make("p", line), ...more);
}

function fill(id, items, none) {
  $(id).replaceChildren(items.length ? make("div.items", "", ...items) : make("p.none", none));
}

/** Points of a curve, oldest first, on a width and a height. */
const points = (samples, now, width, height) =>
  samples.map(([at, part]) =>
    [width * (1 - (now - at) / HOUR_MS), height * (1 - part / 100)].map(n => n.toFixed(1)),
  );
const path = line => (line.length ? "M" + line.map(point => point.join(" ")).join("L") : "");

function spark(history, now) {
  const svg = draw("svg", {
    viewBox: "0 0 300 30",
    preserveAspectRatio: "none",
    class: "spark",
    "aria-hidden": "true",
  });
  svg.append(draw("path", { d: path(points(history, now, 300, 30)) }));
  return svg;
}

function showBusy(usage) {
  const svg = $("busy");
  const line = points(usage.history ?? [], usage.at_ms, 720, 150);
  svg.replaceChildren(
    ...[0, 75, 150].map(y => draw("line", { class: "grid", x1: 0, x2: 720, y1: y, y2: y })),
  );
  if (!line.length) return;
  svg.append(
    draw("path", { class: "area", d: `${path(line)}L${line.at(-1)[0]} 150L${line[0][0]} 150Z` }),
    draw("path", { class: "curve", d: path(line) }),
  );
}

function showNumbers(nodes, leases, usage) {
  const up = nodes.filter(node => !node.down);
  const gpus = up.flatMap(node => node.gpus);
  const taken = gpus.reduce((sum, gpu) => sum + (100 - gpu.time_free_percent) / 100, 0);
  const busy = gpus.length
    ? usage.gpus.reduce((sum, gpu) => sum + gpu.busy_percent, 0) / gpus.length
    : 0;
  const down = nodes.length - up.length;
  const watts = usage.gpus.map(gpu => gpu.watts).filter(watts => watts !== null);
  const held = leases.filter(
    lease => typeof lease.standing === "object" && "held" in lease.standing,
  );
  const numbers = [
    [gpus.length, `${gpus.length === 1 ? "GPU" : "GPUs"} on ${many(up.length, "node")}`],
    ...(down ? [[down, down === 1 ? "node down" : "nodes down"]] : []),
    [taken.toFixed(taken % 1 ? 1 : 0), "of them leased"],
    [percent(busy), "busy now"],
    [held.length, held.length === 1 ? "lease" : "leases"],
    [leases.length - held.length, "waiting"],
    ...(watts.length ? [[`${Math.round(watts.reduce((a, b) => a + b, 0))} W`, "drawn now"]] : []),
  ];
  $("numbers").replaceChildren(
    ...numbers.map(([number, what]) =>
      make("div.number", "", make("b", String(number)), make("span", what)),
    ),
  );
  return held;
}

function showGpus(nodes, usage) {
  const of = (node, gpu) =>
    usage.gpus.find(one => one.node === node.name && one.gpu === gpu.uuid) ?? {
      busy_percent: 0,
      watts: null,
    };
  fill(
    "gpus",
    nodes.flatMap(node =>
      node.gpus.map((gpu, ordinal) => {
        const use = of(node, gpu),
          used = gpu.memory_bytes - gpu.memory_free_bytes,
          leased = 100 - gpu.time_free_percent;
        const down =
          node.down && `down since ${new Date(node.down.since_ms).toTimeString().slice(0, 5)}`;
        const title = `${node.name} · GPU ${ordinal}`;
        if (down) return item(title, `${gpu.model} · ${down}`, false);
        const line = [
          gpu.model,
          node.draining ? "draining" : "",
          use.watts === null ? "" : `${Math.round(use.watts)} W`,
        ]
          .filter(Boolean)
          .join(" · ");
        return item(
          title,
          line,
          leased > 0,
          bar("leased", leased, percent(leased)),
          bar(
            "memory",
            (100 * used) / gpu.memory_bytes,
            `${gib(used).replace(" GiB", "")} of ${gib(gpu.memory_bytes)}`,
          ),
          bar("busy", use.busy_percent, percent(use.busy_percent)),
          spark(use.history ?? [], usage.at_ms),
        );
      }),
    ),
    "No node has joined yet.",
  );
}

// What was promised beside what was kept.
function kept(promised, counts) {
  const { seen, late, skipped, worst_us } = counts ?? { seen: 0, late: 0, skipped: 0, worst_us: 0 };
  return (
    `${promised.per_s} frames/s promised: ${seen} seen, ${late} late, ` +
    `${skipped} ticks skipped, worst ${(worst_us / 1000).toFixed(1)} ms`
  );
}

function showLeases(held, usage) {
  fill(
    "leases",
    held.map(lease => {
      const use = usage.leases.find(one => one.id === lease.id) ?? {
        busy_percent: 0,
        active_mj: 0,
        idle_mj: 0,
        method: null,
      };
      const where = lease.parts
        .map(part => `${part.node} ${percent(100 * part.fraction)}`)
        .join(", ");
      const energy = use.method
        ? [
            make(
              "p",
              `${joules(use.active_mj)} active, ${joules(use.idle_mj)} idle (${use.method})`,
            ),
          ]
        : [];
      const frames = lease.ask.frames ? [make("p", kept(lease.ask.frames, use.frames))] : [];
      return item(
        `${lease.holder.user} · ${lease.id}`,
        `${where} · for ${long(lease.age_ms)}`,
        true,
        bar("busy", use.busy_percent, percent(use.busy_percent)),
        ...energy,
        ...frames,
      );
    }),
    "No leases are held.",
  );
}

function showQueue(waiting) {
  fill(
    "queue",
    waiting.map(lease =>
      item(
        `${lease.holder.user} · ${many(lease.ask.gpus, "GPU")}`,
        `${lease.reason ?? `${lease.standing.waiting} ahead`} · for ${long(lease.age_ms)}`,
        false,
      ),
    ),
    "No requests are waiting.",
  );
}

function showUsers({ quotas, usage }) {
  const names = [...new Set([...Object.keys(quotas), ...Object.keys(usage)])]
    .filter(name => !name.endsWith("*"))
    .sort();
  fill(
    "users",
    names.map(name => {
      const uses = { gpus: 0, memory_bytes: 0, leases: 0, gpu_hours: 0, ...usage[name] },
        may = quotas[name] ?? quotas[`${name.split(":")[0]}:*`] ?? {};
      const row = (what, used, limit, say) =>
        bar(
          what,
          limit ? (100 * used) / limit : 0,
          limit == null ? say(used) : `${say(used)} of ${say(limit)}`,
        );
      return item(
        name.replace(":", " "),
        many(uses.leases, "lease"),
        uses.leases > 0,
        row("GPUs", uses.gpus, may.gpus, n => n.toFixed(1)),
        row("memory", uses.memory_bytes, may.memory_bytes, gib),
        row("GPU-hours", uses.gpu_hours, may.gpu_hours, n => n.toFixed(1)),
      );
    }),
    "Nobody has used the pool yet.",
  );
}

async function show() {
  const [health, nodes, leases, quotas] = await Promise.all(
    ["/v1/health", "/v1/nodes", "/v1/leases", "/v1/quotas"].map(ask),
  );
  const gpus = nodes.reduce((sum, node) => sum + node.gpus.length, 0);
  const usage = await ask(`/v1/usage?history=${gpus <= CURVES_MAX ? "gpus" : "mean"}`);
  const held = showNumbers(nodes, leases, usage);
  showBusy(usage);
  showGpus(nodes, usage);
  showLeases(held, usage);
  showQueue(leases.filter(lease => !held.includes(lease)));
  showUsers(quotas);
  const down = nodes.filter(node => node.down).length;
  const state = down ? `${many(down, "node")} down` : "working";
  $("state").textContent = `${state} · Outhaul ${health.release}`;
  $("state").className = down ? "ill" : "well";
}

let soon;
async function go() {
  clearTimeout(soon);
  try {
    await show();
    [$("door").hidden, $("pool").hidden] = [true, false];
  } catch (error) {
    $("state").textContent = error instanceof Refused ? "signed out" : `no answer: ${error.message}`;
    $("state").className = "ill";
    if (error instanceof Refused) {
      $("refused").textContent = sessionStorage.getItem(TOKEN) ? error.message : "";
      [$("door").hidden, $("pool").hidden] = [false, true];
      return;
    }
  }
  soon = setTimeout(go, EVERY_MS);
}

$("door").addEventListener("submit", event => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN, $("token").value.trim());
  go();
});
const tabs = [...document.querySelectorAll("[role=tab]")];
for (const tab of tabs) {
  tab.addEventListener("click", () =>
    tabs.forEach(other => {
      other.setAttribute("aria-selected", other === tab);
      $(other.getAttribute("aria-controls")).hidden = other !== tab;
    }),
  );
  tab.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length].focus();
  });
}
go();
