// An error that clients may read; `status` and `expose` are those that Express knows.
export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
    this.expose = true;
  }
}
