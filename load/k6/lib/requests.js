// The requests of one virtual user: one event each, or a batch of them. The transport sends them.

import { EventSource } from './operations.js';
import { Sampler } from './replies.js';

export class Requests {
  /**
   * @param {object} plan lab/src/bakeoff/formats/plan.schema.json
   * @param {{send: function(Array<object>, function(): boolean): boolean}} transport sends events as one request and
   *     says whether they were acknowledged; asks the function whether to check the content of the reply
   */
  constructor(plan, transport) {
    this.source = new EventSource(plan, 0);
    this.batch = plan.transport.batch;
    this.transport = transport;
    const sampler = new Sampler(plan.verify_share);
    this.wantsCheck = () => sampler.next();
  }

  /** @param {number} user number of the virtual user, from 0, whose requests these are from now on */
  actAs(user) {
    this.source.actAs(user);
  }

  sendNext() {
    const events = this.source.take(this.batch);
    if (this.transport.send(events, this.wantsCheck)) {
      events.forEach((event) => this.source.acknowledge(event));
    }
  }
}
