import { Controller, Get, Param } from "@nestjs/common";
import { IdPipe } from "../id.pipe.js";
import { OrdersService } from "./orders.service.js";

@Controller("customers")
export class CustomersController {
  constructor(private readonly orders: OrdersService) {}

  @Get(":id/summary")
  summarise(@Param("id", IdPipe) id: number) {
    return this.orders.summarise(id);
  }
}
