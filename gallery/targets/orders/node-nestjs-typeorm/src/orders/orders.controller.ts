import type { ServerResponse } from "node:http";
import {
  Body,
  ClassSerializerInterceptor,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  Res,
  UseInterceptors,
} from "@nestjs/common";
import { IdPipe } from "../id.pipe.js";
import { OrdersService } from "./orders.service.js";
import { CreateOrderDto, ListOrdersDto, UpdateOrderDto } from "./requests.dto.js";

@Controller("orders")
@UseInterceptors(ClassSerializerInterceptor)
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  async create(@Body() wanted: CreateOrderDto, @Res({ passthrough: true }) response: ServerResponse) {
    const order = await this.orders.create(wanted);
    response.setHeader("Location", `/orders/${order.id}`);
    return order;
  }

  @Get()
  async list(@Query() wanted: ListOrdersDto) {
    const items = await this.orders.list(wanted);
    return { items, nextAfter: items.length === wanted.limit ? items[items.length - 1].id : null };
  }

  @Get(":id")
  get(@Param("id", IdPipe) id: number) {
    return this.orders.get(id);
  }

  @Patch(":id")
  update(@Param("id", IdPipe) id: number, @Body() wanted: UpdateOrderDto) {
    return this.orders.update(id, wanted);
  }

  @Delete(":id")
  @HttpCode(204)
  remove(@Param("id", IdPipe) id: number) {
    return this.orders.remove(id);
  }
}
