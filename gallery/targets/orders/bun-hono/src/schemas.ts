import { z } from "zod";

export const STATUSES = ["new", "paid", "shipped", "cancelled"] as const;

const status = z.enum(STATUSES);
const wholeText = z
  .string()
  .regex(/^-?\d+$/, "must be a whole number")
  .transform(Number)
  .pipe(z.int());

const line = z.object({
  sku: z.string().regex(/^[A-Z0-9-]{1,40}$/),
  quantity: z.int().min(1).max(1_000),
  unitPriceCents: z.int().min(0).max(10_000_000),
});

export const newOrder = z.object({ customerId: z.int(), lines: z.array(line).min(1).max(20) });

export const change = z.object({ status, version: z.int() });

export const listing = z.object({
  customer: wholeText,
  status: status.optional(),
  after: wholeText.optional(),
  limit: wholeText.pipe(z.int().min(1).max(100)).default(20),
});

export const path = z.object({ id: wholeText });

export type Status = (typeof STATUSES)[number];
export type Line = z.infer<typeof line>;
export type NewOrder = z.infer<typeof newOrder>;
export type Change = z.infer<typeof change>;
export type Listing = z.infer<typeof listing>;
