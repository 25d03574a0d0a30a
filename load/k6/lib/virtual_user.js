// One iteration of a virtual user: one request, then its think time.

import { sleep } from 'k6';
import exec from 'k6/execution';
import { PhaseClock } from './phases.js';
import { Requests } from './requests.js';

/**
 * The iteration of a plan, for k6 to call again and again. Templates are compiled here, while k6 makes its virtual
 * users one by one, and not in the first iteration, which is measured already.
 * @param {object} plan lab/src/bakeoff/formats/plan.schema.json
 * @param {object} transport sends requests; see Requests
 */
export function virtualUser(plan, transport) {
  const firstPhase = Number(__ENV.BAKEOFF_FIRST_PHASE || 0);
  const firstUser = Number(__ENV.BAKEOFF_FIRST_USER || 0);
  const thinkSeconds = plan.think_time_ms / 1000;
  const requests = new Requests(plan, transport);
  let clock = null;

  return () => {
    try {
      if (clock === null) {
        // Unlike __VU it is unique over all segments of a test; k6 knows it only now.
        requests.actAs(firstUser + exec.vu.idInTest - 1);
        clock = new PhaseClock(plan.phases, firstPhase);
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
