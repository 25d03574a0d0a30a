// What one virtual user does in each iteration: one request, then its think time.

import { sleep } from 'k6';
import exec from 'k6/execution';
import { PhaseClock } from './phases.js';
import { Requests } from './requests.js';

/**
 * The iteration of a plan, for k6 to call again and again.
 * @param {object} plan contract/schemas/plan.schema.json
 * @param {function(): object} makeTransport called once, at the virtual user's first iteration
 */
export function virtualUser(plan, makeTransport) {
  const firstPhase = Number(__ENV.BAKEOFF_FIRST_PHASE || 0);
  const firstUser = Number(__ENV.BAKEOFF_FIRST_USER || 0);
  const thinkSeconds = plan.think_time_ms / 1000;
  let clock = null;
  let requests = null;

  return () => {
    try {
      if (requests === null) {
        clock = new PhaseClock(plan.phases, firstPhase);
        requests = new Requests(plan, firstUser + exec.vu.idInTest - 1, makeTransport());
      }
      clock.update();
      requests.sendNext();
    } catch (error) {
      // A failed request is a result, but an error of the script is none: k6 would go on, iteration after iteration.
      exec.test.abort(String(error.stack || error));
    }
    if (thinkSeconds > 0) sleep(thinkSeconds);
  };
}
