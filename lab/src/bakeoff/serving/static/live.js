// Follows the running lab: each event holds its whole state, or null when none is at work.
"use strict";

const byId = (id) => document.getElementById(id);
const rate = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
let stepBegan = Date.now();
let shownStep = null;

function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function sparkline(element, values) {
  const highest = Math.max(...values, 1e-9);
  const step = 300 / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${(index * step).toFixed(1)},${(98 - (value / highest) * 94).toFixed(1)}`);
  element.setAttribute("points", points.join(" "));
}

function standings(entries) {
  const rows = Object.entries(entries)
    .map(([name, rates]) => ({ name, rounds: rates.length, rate: median(rates) }))
    .sort((one, other) => other.rate - one.rate)
    .map(({ name, rounds, rate: figure }) => {
      const row = document.createElement("tr");
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = name;
      row.append(head, ...[rounds, rate.format(figure)].map((text) => {
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
  byId("idle").hidden = state !== null;
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
  byId("p99").textContent = p99 === undefined ? "–" : `${digits.format(p99)} ms`;
  byId("failed").textContent = rate.format(state.failed);
  const cpu = { target: "target", database: "database", engine: "generator" };
  byId("cpu").textContent = Object.entries(cpu)
    .filter(([role]) => role in state.cpu_percent)
    .map(([role, name]) => `${name} ${rate.format(state.cpu_percent[role])}%`)
    .join(" · ") || "–";
  sparkline(byId("throughput-line"), state.rates_per_s);
  sparkline(byId("p99-line"), state.p99s_ms);
  standings(state.standings);
}

new EventSource("/live/events").onmessage = (event) => show(JSON.parse(event.data));
