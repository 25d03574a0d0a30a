import { Module } from "@nestjs/common";
import { TypeOrmModule } from "@nestjs/typeorm";
import { Customer } from "./customer.entity.js";
import { CustomersController } from "./customers.controller.js";
import { Order } from "./order.entity.js";
import { OrderLine } from "./order-line.entity.js";
import { OrdersController } from "./orders.controller.js";
import { OrdersService } from "./orders.service.js";

@Module({
  imports: [TypeOrmModule.forFeature([Customer, Order, OrderLine])],
  controllers: [OrdersController, CustomersController],
  providers: [OrdersService],
})
export class OrdersModule {}
