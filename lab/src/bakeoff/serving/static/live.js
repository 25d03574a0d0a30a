// Follows the running lab: each event holds its whole state, or null when none is running.
"use strict";

const byId = (id) => document.getElementById(id);
const rate = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
let stepBegan = Date.now();
let shownStep = null;

// The line starts at zero; the words are its axes.
function sparkline(name, values, unit) {
  const highest = Math.max(...values, 1e-9);
  const step = 300 / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${(index * step).toFixed(1)},${(98 - (value / highest) * 94).toFixed(1)}`);
  // A second without a reply has no latency.
  byId(`${name}-line`).setAttribute("points", points.filter((_, index) => values[index] !== null).join(" "));
  byId(`${name}-axis`).textContent = values.length ? `0 to ${digits.format(highest)}${unit}, last ${values.length} s` : "";
}

function standings(entries) {
  const rows = entries.map(({ contender, rounds, load, per_s, p99_ms, failed }) => {
    const row = document.createElement("tr");
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = contender;
    const p99 = p99_ms === null ? "–" : digits.format(p99_ms);
    row.append(head, ...[rounds, load, rate.format(per_s), p99, rate.format(failed)].map((text) => {
      const cell = document.createElement("td");
      cell.textContent = text;
      return cell;
    }));
    return row;
  });
  byId("standings").replaceChildren(...rows);
  byId("so-far").hidden = rows.length === 0;
}

function show(state) {
  // What was followed here has ended: its report is the newest.
  if (state === null && shownStep !== null) byId("ended").hidden = false;
  byId("idle").hidden = state !== null || shownStep !== null;
  if (state !== null) byId("ended").hidden = true;
  byId("running").hidden = state === null;
  if (state === null) return;
  if (state.step !== shownStep) {
    shownStep = state.step;
    stepBegan = Date.now();
  }
  byId("command").textContent = state.command;
  byId("step").textContent = [state.step, state.phase].filter(Boolean).join(" · ");
  byId("run").textContent = state.run ? `Run ${state.run.number} of ${state.run.count}` : "";
  byId("progress").hidden = !state.planned_s;
  if (state.planned_s) {
    byId("progress").max = state.planned_s;
    byId("progress").value = Math.min(state.planned_s, (Date.now() - stepBegan) / 1000);
  }
  const [throughput] = state.rates_per_s.slice(-1);
  const [p99] = state.p99s_ms.slice(-1);
  byId("throughput").textContent = throughput === undefined ? "–" : `${rate.format(throughput)}/s`;
  byId("p99").textContent = p99 === undefined || p99 === null ? "–" : `${digits.format(p99)} ms`;
  byId("failed").textContent = rate.format(state.failed);
  const cpu = { target: "target", database: "database", engine: "generator" };
  byId("cpu").textContent = Object.entries(cpu)
    .filter(([role]) => role in state.cpu_percent)
    .map(([role, name]) => `${name} ${rate.format(state.cpu_percent[role])}%`)
    .join(" · ") || "–";
  sparkline("throughput", state.rates_per_s, "/s");
  sparkline("p99", state.p99s_ms, " ms");
  standings(state.standings);
}

new EventSource("/live/events").onmessage = (event) => show(JSON.parse(event.data));
