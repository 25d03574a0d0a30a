// The least that answers one operation of the contract, with the statements of the target beside it: an order by its
// id. side-by-side/minimal-orders.toml compares both.
import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import express from "express";
import pg from "pg";

const workers = availableParallelism();

if (cluster.isPrimary) {
  for (let started = 0; started < workers; started++) {
    cluster.fork();
  }
} else {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Math.floor(16 / workers) });
  const app = express();

  app.get("/orders/:id", async (request, response) => {
    const { id } = request.params;
    const orders = await pool.query(
      `SELECT id, customer_id AS "customerId", status, total_cents AS "totalCents", version, created_at AS "createdAt"
       FROM orders WHERE id = $1`,
      [id],
    );
    const lines = await pool.query(
      `SELECT sku, quantity, unit_price_cents AS "unitPriceCents" FROM order_lines WHERE order_id = $1 ORDER BY position`,
      [id],
    );
    response.json({ ...orders.rows[0], lines: lines.rows });
  });

  app.listen(Number(process.argv[2]), "127.0.0.1");
}
