// Which phase of the plan it is now. A request belongs to the phase in which it was begun.

import exec from 'k6/execution';
import { Gauge } from 'k6/metrics';

const phaseEntered = new Gauge('phase_entered');

/** Sets one virtual user's `phase` tag, and only when the phase changes: a tag costs more than a comparison. */
export class PhaseClock {
  /**
   * @param {Array<object>} phases the plan's phases that this k6 process runs
   * @param {number} firstIndex index of the first of them in the whole plan
   */
  constructor(phases, firstIndex) {
    this.firstIndex = firstIndex;
    this.startMs = exec.scenario.startTime;
    this.ends = phaseEnds(phases).map((offset) => this.startMs + offset);
    this.current = -1;
  }

  update() {
    const index = phaseAt(this.ends, Date.now());
    if (index === this.current) return;
    this.current = index;
    exec.vu.metrics.tags.phase = String(this.firstIndex + index);
    phaseEntered.add(this.startMs);
  }
}

/** Milliseconds from the start to the end of each phase; a phase of iterations has no end of its own. */
function phaseEnds(phases) {
  let reached = 0;
  return phases.map((phase) => (reached += phase.duration_ms === undefined ? Infinity : phase.duration_ms));
}

/** Index of the phase at a moment; what begins after the last end still belongs to the last phase. */
function phaseAt(ends, moment) {
  const index = ends.findIndex((end) => moment < end);
  return index < 0 ? ends.length - 1 : index;
}
