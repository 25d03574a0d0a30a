import { BadRequestException, ConflictException, Injectable, NotFoundException } from "@nestjs/common";
import { InjectRepository } from "@nestjs/typeorm";
import { LessThan, QueryFailedError, Repository } from "typeorm";
import { Customer } from "./customer.entity.js";
import { Order, STATUSES } from "./order.entity.js";
import type { CreateOrderDto, ListOrdersDto, UpdateOrderDto } from "./requests.dto.js";

const FOREIGN_KEY_VIOLATION = "23503";

@Injectable()
export class OrdersService {
  constructor(
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    @InjectRepository(Customer) private readonly customers: Repository<Customer>,
  ) {}

  // The order and its lines are one transaction of TypeORM.
  async create({ customerId, lines }: CreateOrderDto) {
    const order = this.orders.create({
      customerId,
      totalCents: lines.reduce((sum, { quantity, unitPriceCents }) => sum + quantity * unitPriceCents, 0),
      lines: lines.map((line, index) => ({ ...line, position: index + 1 })),
    });
    try {
      return await this.orders.save(order);
    } catch (error) {
      if (error instanceof QueryFailedError && error.driverError.code === FOREIGN_KEY_VIOLATION) {
        throw new BadRequestException("customerId: no such customer");
      }
      throw error;
    }
  }

  get(id: number) {
    return this.orders.findOneOrFail({
      where: { id },
      relations: { lines: true },
      order: { lines: { position: "ASC" } },
    });
  }

  // The builder adds 1 to the version by itself. A version may exceed the column's 32 bits: no order has it.
  async update(id: number, { status, version }: UpdateOrderDto) {
    const { raw } = await this.orders
      .createQueryBuilder()
      .update()
      .set({ status })
      .where("id = :id AND version = CAST(:version AS bigint)", { id, version })
      .returning("*")
      .execute();
    if (raw.length > 0) {
      const [{ customer_id: customerId, total_cents: totalCents, created_at: createdAt, ...others }] = raw;
      return this.orders.create({ ...others, customerId, totalCents, createdAt });
    }
    await this.orders.findOneByOrFail({ id });
    throw new ConflictException("the order has another version");
  }

  // The database deletes the lines with their order.
  async remove(id: number) {
    const { affected } = await this.orders.delete({ id });
    if (affected === 0) {
      throw new NotFoundException("no such order");
    }
  }

  list({ customer, status, after, limit }: ListOrdersDto) {
    return this.orders.find({
      where: {
        customerId: customer,
        ...(status === undefined ? {} : { status }),
        ...(after === undefined ? {} : { id: LessThan(after) }),
      },
      order: { id: "DESC" },
      take: limit,
    });
  }

  async summarise(id: number) {
    const customer = await this.customers.findOneByOrFail({ id });
    const groups = await this.orders
      .createQueryBuilder("order")
      .select("order.status", "status")
      .addSelect("COUNT(*)", "count")
      .addSelect("SUM(order.totalCents)", "total")
      .where("order.customerId = :id", { id })
      .groupBy("order.status")
      .getRawMany();
    const summary = { customerId: id, name: customer.name, orderCount: 0, totalCents: 0 };
    const byStatus = Object.fromEntries(STATUSES.map((status) => [status, 0]));
    for (const { status, count, total } of groups) {
      byStatus[status] = count;
      summary.orderCount += count;
      // PostgreSQL adds bigint up as numeric, which arrives as a text.
      summary.totalCents += Number(total);
    }
    return { ...summary, byStatus };
  }
}
