// The tables of the contract's schema.sql, as far as the service reads or writes them.
import { relations } from "drizzle-orm";
import { bigint, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

export const STATUSES = ["new", "paid", "shipped", "cancelled"];

const id = () => bigint({ mode: "number" }).primaryKey().generatedByDefaultAsIdentity();

export const customers = pgTable("customers", {
  id: id(),
  name: text().notNull(),
});

export const orders = pgTable("orders", {
  id: id(),
  customerId: bigint("customer_id", { mode: "number" })
    .notNull()
    .references(() => customers.id),
  status: text({ enum: STATUSES }).notNull().default("new"),
  totalCents: bigint("total_cents", { mode: "number" }).notNull(),
  version: integer().notNull().default(1),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});

export const orderLines = pgTable("order_lines", {
  id: id(),
  orderId: bigint("order_id", { mode: "number" })
    .notNull()
    .references(() => orders.id, { onDelete: "cascade" }),
  position: integer().notNull(),
  sku: text().notNull(),
  quantity: integer().notNull(),
  unitPriceCents: integer("unit_price_cents").notNull(),
});

export const ordersRelations = relations(orders, ({ many }) => ({ lines: many(orderLines) }));

export const orderLinesRelations = relations(orderLines, ({ one }) => ({
  order: one(orders, { fields: [orderLines.orderId], references: [orders.id] }),
}));
