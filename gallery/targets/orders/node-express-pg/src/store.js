import { setTimeout } from "node:timers/promises";
import { Problem } from "./problem.js";
import { STATUSES } from "./schemas.js";

const FOREIGN_KEY_VIOLATION = "23503";
const HEALTH_TIMEOUT_MS = 2_000;

const ORDER = `id, customer_id AS "customerId", status, total_cents AS "totalCents", version, created_at AS "createdAt"`;

export class OrderStore {
  constructor(pool) {
    this.pool = pool;
  }

  async ping() {
    const late = setTimeout(HEALTH_TIMEOUT_MS, null, { ref: false }).then(() => {
      throw new Error("no answer in time");
    });
    try {
      await Promise.race([this.pool.query("SELECT 1"), late]);
    } catch {
      throw new Problem(503, "PostgreSQL does not answer");
    }
  }

  async create({ customerId, lines }) {
    const totalCents = lines.reduce((sum, { quantity, unitPriceCents }) => sum + quantity * unitPriceCents, 0);
    const client = await this.pool.connect();
    try {
      await client.query("BEGIN");
      const { rows } = await client.query(
        `INSERT INTO orders (customer_id, total_cents) VALUES ($1, $2) RETURNING ${ORDER}`,
        [customerId, totalCents],
      );
      await client.query(
        `INSERT INTO order_lines (order_id, position, sku, quantity, unit_price_cents)
         SELECT $1, position, sku, quantity, unit_price_cents
         FROM unnest($2::text[], $3::int[], $4::int[]) WITH ORDINALITY AS line (sku, quantity, unit_price_cents, position)`,
        [
          rows[0].id,
          lines.map((line) => line.sku),
          lines.map((line) => line.quantity),
          lines.map((line) => line.unitPriceCents),
        ],
      );
      await client.query("COMMIT");
      return { ...rows[0], lines };
    } catch (error) {
      await client.query("ROLLBACK");
      throw error.code === FOREIGN_KEY_VIOLATION ? new Problem(400, "customerId: no such customer") : error;
    } finally {
      client.release();
    }
  }

  async get(id) {
    const orders = await this.pool.query(`SELECT ${ORDER} FROM orders WHERE id = $1`, [id]);
    if (orders.rowCount === 0) {
      throw noSuchOrder();
    }
    const lines = await this.pool.query(
      `SELECT sku, quantity, unit_price_cents AS "unitPriceCents" FROM order_lines WHERE order_id = $1 ORDER BY position`,
      [id],
    );
    return { ...orders.rows[0], lines: lines.rows };
  }

  async update(id, { status, version }) {
    const updated = await this.pool.query(
      `UPDATE orders SET status = $3, version = version + 1 WHERE id = $1 AND version = $2::bigint RETURNING ${ORDER}`,
      [id, version, status],
    );
    if (updated.rowCount === 1) {
      return updated.rows[0];
    }
    const existing = await this.pool.query("SELECT FROM orders WHERE id = $1", [id]);
    throw existing.rowCount === 1 ? new Problem(409, "the order has another version") : noSuchOrder();
  }

  // The database deletes the lines with their order.
  async remove(id) {
    const deleted = await this.pool.query("DELETE FROM orders WHERE id = $1", [id]);
    if (deleted.rowCount === 0) {
      throw noSuchOrder();
    }
  }

  async list({ customer, status, after, limit }) {
    const conditions = ["customer_id = $1"];
    const values = [customer];
    if (status !== undefined) {
      conditions.push(`status = $${values.push(status)}`);
    }
    if (after !== undefined) {
      conditions.push(`id < $${values.push(after)}`);
    }
    const { rows } = await this.pool.query(
      `SELECT ${ORDER} FROM orders WHERE ${conditions.join(" AND ")} ORDER BY id DESC LIMIT $${values.push(limit)}`,
      values,
    );
    return rows;
  }

  async summarise(id) {
    const customers = await this.pool.query("SELECT name FROM customers WHERE id = $1", [id]);
    if (customers.rowCount === 0) {
      throw new Problem(404, "no such customer");
    }
    const { rows } = await this.pool.query(
      `SELECT status, count(*) AS count, sum(total_cents)::bigint AS "totalCents" FROM orders WHERE customer_id = $1 GROUP BY status`,
      [id],
    );
    const summary = { customerId: id, name: customers.rows[0].name, orderCount: 0, totalCents: 0 };
    summary.byStatus = Object.fromEntries(STATUSES.map((status) => [status, 0]));
    for (const { status, count, totalCents } of rows) {
      summary.byStatus[status] = count;
      summary.orderCount += count;
      summary.totalCents += totalCents;
    }
    return summary;
  }
}

function noSuchOrder() {
  return new Problem(404, "no such order");
}
