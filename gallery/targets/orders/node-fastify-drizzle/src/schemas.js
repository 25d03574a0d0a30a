import { STATUSES } from "./tables.js";

const whole = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const status = { type: "string", enum: STATUSES };
const params = object({ id: whole });

const lines = {
  type: "array",
  minItems: 1,
  maxItems: 20,
  items: object({
    sku: { type: "string", pattern: "^[A-Z0-9-]{1,40}$" },
    quantity: { type: "integer", minimum: 1, maximum: 1_000 },
    unitPriceCents: { type: "integer", minimum: 0, maximum: 10_000_000 },
  }),
};

const order = {
  id: whole,
  customerId: whole,
  status,
  totalCents: whole,
  version: whole,
  createdAt: { type: "string", format: "date-time" },
};

const orderWithLines = object({ ...order, lines });

const page = object({
  items: { type: "array", items: object(order) },
  nextAfter: { type: ["integer", "null"] },
});

const summary = object({
  customerId: whole,
  name: { type: "string" },
  orderCount: whole,
  totalCents: whole,
  byStatus: object(Object.fromEntries(STATUSES.map((each) => [each, whole]))),
});

export const createSchema = { body: object({ customerId: whole, lines }), response: { 201: orderWithLines } };

export const getSchema = { params, response: { 200: orderWithLines } };

export const updateSchema = { params, body: object({ status, version: whole }), response: { 200: object(order) } };

export const removeSchema = { params };

export const listSchema = {
  querystring: object(
    { customer: whole, status, after: whole, limit: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
    ["customer"],
  ),
  response: { 200: page },
};

export const summarySchema = { params, response: { 200: summary } };

function object(properties, required = Object.keys(properties)) {
  return { type: "object", required, properties };
}
