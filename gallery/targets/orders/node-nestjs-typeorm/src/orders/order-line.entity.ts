import { Exclude } from "class-transformer";
import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from "typeorm";
import { Order } from "./order.entity.js";

@Entity("order_lines")
export class OrderLine {
  @Exclude()
  @PrimaryGeneratedColumn("identity", { type: "bigint", generatedIdentity: "BY DEFAULT" })
  id: number;

  @Exclude()
  @ManyToOne(() => Order, "lines", { onDelete: "CASCADE" })
  @JoinColumn({ name: "order_id" })
  order: Relation<Order>;

  @Exclude()
  @Column("integer")
  position: number;

  @Column("text")
  sku: string;

  @Column("integer")
  quantity: number;

  @Column("integer", { name: "unit_price_cents" })
  unitPriceCents: number;
}
