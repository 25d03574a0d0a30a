// Follows the running lab: each event holds its whole state, or null when none is running.
"use strict";

const byId = (id) => document.getElementById(id);
const rate = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const duration = (seconds) => (seconds < 90 ? `${rate.format(seconds)} s` : `${rate.format(seconds / 60)} min`);
let stepBegan = Date.now();
let shownStep = null;

// From zero to the highest value.
function sparkline(name, values, unit) {
  const highest = Math.max(...values, 1e-9);
  const step = 300 / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${(index * step).toFixed(1)},${(99 - (value / highest) * 98).toFixed(1)}`);
  // A second without a reply has no latency.
  byId(`${name}-line`).setAttribute("points", points.filter((_, index) => values[index] !== null).join(" "));
  byId(`${name}-high`).textContent = values.length ? `${digits.format(highest)}${unit}` : "";
  byId(`${name}-first`).textContent = values.length > 1 ? `${values.length - 1} s ago` : "";
}

function standings(entries) {
  const rows = entries.map(({ contender, rounds, load, per_s, p99_ms, failed }) => {
    const row = document.createElement("tr");
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = contender;
    const p99 = p99_ms === null ? "–" : digits.format(p99_ms);
    const columns = { Rounds: rounds, At: load, "Median ops/s": rate.format(per_s), "p99 ms": p99, Failed: rate.format(failed) };
    row.append(head, ...Object.entries(columns).map(([name, text]) => {
      const cell = document.createElement("td");
      cell.dataset.label = name;
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
  byId("run").textContent = state.run ? `Run ${state.run.number} of ${state.run.count} · about ${duration(state.run.left_s)} left` : "";
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
