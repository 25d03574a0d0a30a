import { Column, CreateDateColumn, Entity, OneToMany, PrimaryGeneratedColumn, VersionColumn } from "typeorm";
import { OrderLine } from "./order-line.entity.js";

export const STATUSES = ["new", "paid", "shipped", "cancelled"] as const;
export type Status = (typeof STATUSES)[number];

@Entity("orders")
export class Order {
  @PrimaryGeneratedColumn("identity", { type: "bigint", generatedIdentity: "BY DEFAULT" })
  id: number;

  @Column("bigint", { name: "customer_id" })
  customerId: number;

  @Column("text", { default: "new" })
  status: Status;

  @Column("bigint", { name: "total_cents" })
  totalCents: number;

  @VersionColumn()
  version: number;

  @CreateDateColumn({ type: "timestamptz", name: "created_at" })
  createdAt: Date;

  @OneToMany(() => OrderLine, "order", { cascade: ["insert"] })
  lines: OrderLine[];
}
