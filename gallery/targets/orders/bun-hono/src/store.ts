import { SQL } from "bun";
import { HTTPException } from "hono/http-exception";
import { type Change, type Line, type Listing, type NewOrder, STATUSES, type Status } from "./schemas";

const FOREIGN_KEY_VIOLATION = "23503";
const HEALTH_TIMEOUT_MS = 2_000;

// Bun returns bigint as a text.
type OrderRow = {
  id: string;
  customer_id: string;
  status: Status;
  total_cents: string;
  version: number;
  created_at: Date;
};

export class OrderStore {
  constructor(private readonly sql: SQL) {}

  async ping() {
    const late = Bun.sleep(HEALTH_TIMEOUT_MS).then(() => Promise.reject(new Error("no answer in time")));
    try {
      await Promise.race([this.sql`SELECT 1`, late]);
    } catch (cause) {
      throw new HTTPException(503, { message: "PostgreSQL does not answer", cause });
    }
  }

  async create({ customerId, lines }: NewOrder) {
    const totalCents = lines.reduce((sum, { quantity, unitPriceCents }) => sum + quantity * unitPriceCents, 0);
    try {
      return await this.sql.begin(async (tx) => {
        const [row] = await tx<[OrderRow]>`
          INSERT INTO orders (customer_id, total_cents) VALUES (${customerId}, ${totalCents}) RETURNING *`;
        const order = orderOf(row);
        const rows = lines.map(({ sku, quantity, unitPriceCents }, index) => ({
          order_id: order.id,
          position: index + 1,
          sku,
          quantity,
          unit_price_cents: unitPriceCents,
        }));
        await tx`INSERT INTO order_lines ${tx(rows)}`;
        return { ...order, lines };
      });
    } catch (error) {
      if (error instanceof SQL.PostgresError && error.errno === FOREIGN_KEY_VIOLATION) {
        throw new HTTPException(400, { message: "customerId: no such customer" });
      }
      throw error;
    }
  }

  async get(id: number) {
    const [row] = await this.sql<OrderRow[]>`SELECT * FROM orders WHERE id = ${id}`;
    if (row === undefined) {
      throw noSuchOrder();
    }
    const lines = await this.sql<Line[]>`
      SELECT sku, quantity, unit_price_cents AS "unitPriceCents" FROM order_lines WHERE order_id = ${id} ORDER BY position`;
    return { ...orderOf(row), lines };
  }

  async update(id: number, { status, version }: Change) {
    const [row] = await this.sql<OrderRow[]>`
      UPDATE orders SET status = ${status}, version = version + 1
      WHERE id = ${id} AND version = ${version}::bigint RETURNING *`;
    if (row !== undefined) {
      return orderOf(row);
    }
    const existing = await this.sql`SELECT 1 FROM orders WHERE id = ${id}`;
    throw existing.length > 0 ? new HTTPException(409, { message: "the order has another version" }) : noSuchOrder();
  }

  // The database deletes the lines with their order.
  async remove(id: number) {
    const deleted = await this.sql`DELETE FROM orders WHERE id = ${id}`;
    if (deleted.count === 0) {
      throw noSuchOrder();
    }
  }

  async list({ customer, status, after, limit }: Listing) {
    const { sql } = this;
    const rows = await sql<OrderRow[]>`
      SELECT * FROM orders WHERE customer_id = ${customer}
      ${status === undefined ? sql`` : sql`AND status = ${status}`}
      ${after === undefined ? sql`` : sql`AND id < ${after}`}
      ORDER BY id DESC LIMIT ${limit}`;
    return rows.map(orderOf);
  }

  async summarise(id: number) {
    const [customer] = await this.sql<{ name: string }[]>`SELECT name FROM customers WHERE id = ${id}`;
    if (customer === undefined) {
      throw new HTTPException(404, { message: "no such customer" });
    }
    const groups = await this.sql<{ status: Status; count: string; total_cents: string }[]>`
      SELECT status, count(*) AS count, sum(total_cents) AS total_cents FROM orders WHERE customer_id = ${id} GROUP BY status`;
    const byStatus = Object.fromEntries(STATUSES.map((status) => [status, 0]));
    let [orderCount, totalCents] = [0, 0];
    for (const group of groups) {
      byStatus[group.status] = Number(group.count);
      orderCount += Number(group.count);
      totalCents += Number(group.total_cents);
    }
    return { customerId: id, name: customer.name, orderCount, totalCents, byStatus };
  }
}

function orderOf(row: OrderRow) {
  return {
    id: Number(row.id),
    customerId: Number(row.customer_id),
    status: row.status,
    totalCents: Number(row.total_cents),
    version: row.version,
    createdAt: row.created_at,
  };
}

function noSuchOrder() {
  return new HTTPException(404, { message: "no such order" });
}
