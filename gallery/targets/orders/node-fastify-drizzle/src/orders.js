import createError from "@fastify/error";
import { and, asc, count, desc, eq, lt, sql, sum } from "drizzle-orm";
import { createSchema, getSchema, listSchema, removeSchema, summarySchema, updateSchema } from "./schemas.js";
import { customers, orderLines, orders, STATUSES } from "./tables.js";

const FOREIGN_KEY_VIOLATION = "23503";

const NoSuchOrder = createError("ORDERS_NOT_FOUND", "no such order", 404);
const NoSuchCustomer = createError("ORDERS_CUSTOMER_NOT_FOUND", "no such customer", 404);
const UnknownCustomer = createError("ORDERS_CUSTOMER_UNKNOWN", "customerId: no such customer", 400);
const OtherVersion = createError("ORDERS_CONFLICT", "the order has another version", 409);

export async function orderRoutes(app, { db }) {
  app.post("/orders", { schema: createSchema }, async (request, reply) => {
    const { customerId, lines } = request.body;
    const totalCents = lines.reduce((total, line) => total + line.quantity * line.unitPriceCents, 0);
    const order = await db
      .transaction(async (tx) => {
        const [created] = await tx.insert(orders).values({ customerId, totalCents }).returning();
        await tx.insert(orderLines).values(
          lines.map(({ sku, quantity, unitPriceCents }, index) => ({
            orderId: created.id,
            position: index + 1,
            sku,
            quantity,
            unitPriceCents,
          })),
        );
        return created;
      })
      .catch((error) => {
        throw error.cause?.code === FOREIGN_KEY_VIOLATION ? new UnknownCustomer() : error;
      });
    reply.code(201).header("location", `/orders/${order.id}`);
    return { ...order, lines };
  });

  app.get("/orders/:id", { schema: getSchema }, async (request) => {
    const order = await db.query.orders.findFirst({
      where: eq(orders.id, request.params.id),
      with: {
        lines: { columns: { sku: true, quantity: true, unitPriceCents: true }, orderBy: asc(orderLines.position) },
      },
    });
    if (order === undefined) {
      throw new NoSuchOrder();
    }
    return order;
  });

  app.patch("/orders/:id", { schema: updateSchema }, async (request) => {
    const { id } = request.params;
    const { status, version } = request.body;
    const [updated] = await db
      .update(orders)
      .set({ status, version: sql`${orders.version} + 1` })
      // A version may exceed the column's 32 bits: no order has it.
      .where(and(eq(orders.id, id), eq(orders.version, sql`${version}::bigint`)))
      .returning();
    if (updated === undefined) {
      throw (await db.$count(orders, eq(orders.id, id))) > 0 ? new OtherVersion() : new NoSuchOrder();
    }
    return updated;
  });

  // The database deletes the lines with their order.
  app.delete("/orders/:id", { schema: removeSchema }, async (request, reply) => {
    const { rowCount } = await db.delete(orders).where(eq(orders.id, request.params.id));
    if (rowCount === 0) {
      throw new NoSuchOrder();
    }
    return reply.code(204).send();
  });

  app.get("/orders", { schema: listSchema }, async (request) => {
    const { customer, status, after, limit } = request.query;
    const items = await db
      .select()
      .from(orders)
      .where(
        and(
          eq(orders.customerId, customer),
          status === undefined ? undefined : eq(orders.status, status),
          after === undefined ? undefined : lt(orders.id, after),
        ),
      )
      .orderBy(desc(orders.id))
      .limit(limit);
    return { items, nextAfter: items.length === limit ? items.at(-1).id : null };
  });

  app.get("/customers/:id/summary", { schema: summarySchema }, async (request) => {
    const { id } = request.params;
    const [customer] = await db.select({ name: customers.name }).from(customers).where(eq(customers.id, id));
    if (customer === undefined) {
      throw new NoSuchCustomer();
    }
    const groups = await db
      .select({ status: orders.status, count: count(), totalCents: sum(orders.totalCents).mapWith(Number) })
      .from(orders)
      .where(eq(orders.customerId, id))
      .groupBy(orders.status);
    const byStatus = Object.fromEntries(STATUSES.map((status) => [status, 0]));
    let [orderCount, totalCents] = [0, 0];
    for (const group of groups) {
      byStatus[group.status] = group.count;
      orderCount += group.count;
      totalCents += group.totalCents;
    }
    return { customerId: id, name: customer.name, orderCount, totalCents, byStatus };
  });
}
