import { Module } from "@nestjs/common";
import { TerminusModule } from "@nestjs/terminus";
import { TypeOrmModule } from "@nestjs/typeorm";
import { HealthController } from "./health.controller.js";
import { OrdersModule } from "./orders/orders.module.js";

const poolSize = Number(process.env.DB_POOL_SIZE || 16);
const workers = Number(process.env.WORKERS || 1);

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: "postgres",
      url: process.env.DATABASE_URL,
      poolSize: Math.max(1, Math.floor(poolSize / workers)),
      // Ids and totals stay below 2^53: numbers hold them exactly.
      parseInt8: true,
      autoLoadEntities: true,
      synchronize: false,
    }),
    TerminusModule.forRoot({ logger: false }),
    OrdersModule,
  ],
  controllers: [HealthController],
})
export class AppModule {}
