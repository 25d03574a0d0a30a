import { Transform, Type } from "class-transformer";
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateNested,
} from "class-validator";
import { STATUSES, type Status } from "./order.entity.js";

// Other texts, and numbers that are not exact, stay texts, which IsInt refuses.
const WholeText = () =>
  Transform(({ value }) => (/^-?\d+$/.test(value) && Number.isSafeInteger(+value) ? Number(value) : value));

export class LineDto {
  @Matches(/^[A-Z0-9-]{1,40}$/)
  sku: string;

  @IsInt()
  @Min(1)
  @Max(1_000)
  quantity: number;

  @IsInt()
  @Min(0)
  @Max(10_000_000)
  unitPriceCents: number;
}

export class CreateOrderDto {
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  customerId: number;

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @ValidateNested({ each: true })
  @Type(() => LineDto)
  lines: LineDto[];
}

export class UpdateOrderDto {
  @IsIn(STATUSES)
  status: Status;

  @IsInt()
  @Min(Number.MIN_SAFE_INTEGER)
  @Max(Number.MAX_SAFE_INTEGER)
  version: number;
}

export class ListOrdersDto {
  @WholeText()
  @IsInt()
  customer: number;

  @IsOptional()
  @IsIn(STATUSES)
  status?: Status;

  @IsOptional()
  @WholeText()
  @IsInt()
  after?: number;

  @WholeText()
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;
}
