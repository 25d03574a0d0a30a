// A small NestJS service, which @nestjs/swagger describes: it keeps products and reviews of them, and refuses what its
// classes do not allow.
import 'reflect-metadata';
import {
  Body, CanActivate, ConflictException, Controller, Delete, ExecutionContext, Get, Headers, HttpCode, Injectable, Module,
  NotFoundException, Param, ParseIntPipe, ParseUUIDPipe, Patch, Post, Put, Query, UnauthorizedException, UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  ApiBearerAuth, ApiCreatedResponse, ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiProperty, ApiPropertyOptional,
  DocumentBuilder, PartialType, SwaggerModule,
} from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize, ArrayMinSize, IsArray, IsDateString, IsEmail, IsEnum, IsInt, IsNumber, IsOptional, IsString, IsUUID,
  Length, Matches, Max, Min, ValidateNested,
} from 'class-validator';
import { randomUUID } from 'node:crypto';

const TOKEN = 'a-token-of-tests';

enum Size { Small = 'small', Large = 'large' }

class Part {
  @ApiProperty() @IsString() name: string;
  @ApiProperty({ minimum: 0.5, maximum: 9.5 }) @IsNumber() @Min(0.5) @Max(9.5) weight: number;
}

class NewProduct {
  @ApiProperty({ minLength: 3, maxLength: 40 }) @IsString() @Length(3, 40) name: string;
  @ApiProperty({ pattern: '^[A-Z]{2}-\\d{4}$' }) @Matches(/^[A-Z]{2}-\d{4}$/) code: string;
  @ApiProperty({ enum: Size }) @IsEnum(Size) size: Size;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 99 }) @IsInt() @Min(1) @Max(99) stock: number;
  @ApiProperty({ format: 'date-time' }) @IsDateString() since: string;
  @ApiProperty({ type: [String], minItems: 1, maxItems: 3 })
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(3) @IsString({ each: true }) tags: string[];
  @ApiProperty({ type: [Part] }) @ValidateNested({ each: true }) @Type(() => Part) parts: Part[];
  @ApiPropertyOptional({ format: 'email' }) @IsOptional() @IsEmail() contact?: string;
}

class ChangedProduct extends PartialType(NewProduct) {}

class Product extends NewProduct {
  @ApiProperty({ format: 'uuid' }) id: string;
}

class NewReview {
  @ApiProperty({ format: 'uuid' }) @IsUUID() productId: string;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 5 }) @IsInt() @Min(1) @Max(5) stars: number;
  @ApiProperty() @IsString() text: string;
}

class Review extends NewReview {
  @ApiProperty({ type: 'integer' }) id: number;
}

class Credentials {
  @ApiProperty({ example: 'ada' }) @IsString() username: string;
  @ApiProperty({ example: 'correct horse' }) @IsString() password: string;
}

class Session {
  @ApiProperty() access_token: string;
}

class SearchQuery {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 50 }) @Type(() => Number) @IsInt() @Min(1) @Max(50) limit: number;
  @ApiProperty({ enum: Size, isArray: true, minItems: 2 }) @IsArray() @ArrayMinSize(2) @IsEnum(Size, { each: true }) sizes: Size[];
  @ApiPropertyOptional() @IsOptional() @IsString() cursor?: string;
}

@Injectable()
class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest().headers.authorization !== `Bearer ${TOKEN}`) throw new UnauthorizedException();
    return true;
  }
}

const products = new Map<string, Product>();
const reviews = new Map<number, Review>();

function known<K, V>(entities: Map<K, V>, id: K): V {
  const found = entities.get(id);
  if (found === undefined) throw new NotFoundException();
  return found;
}

@Controller('health')
class HealthController {
  @Get() @ApiOkResponse() health(): object { return { status: 'ok' }; }
}

@Controller('auth')
class AuthController {
  @Post('login') @HttpCode(200) @ApiOkResponse({ type: Session })
  login(@Body() given: Credentials): Session {
    if (given.username !== 'ada' || given.password !== 'correct horse') throw new UnauthorizedException();
    return { access_token: TOKEN };
  }
}

@ApiBearerAuth() @UseGuards(TokenGuard) @Controller('products')
class ProductsController {
  @Post() @ApiCreatedResponse({ type: Product })
  create(@Body() given: NewProduct): Product {
    const product = { ...given, id: randomUUID() };
    products.set(product.id, product);
    return product;
  }

  @Get() @ApiOkResponse({ type: [Product] })
  @ApiHeader({ name: 'X-Tenant', required: true, schema: { type: 'string', pattern: '^[a-z]{4,8}$' } })
  search(@Query() query: SearchQuery, @Headers('x-tenant') tenant: string): Product[] {
    if (!/^[a-z]{4,8}$/.test(tenant ?? '')) throw new ConflictException();
    return [...products.values()].slice(0, query.limit);
  }

  @Get(':id') @ApiOkResponse({ type: Product })
  read(@Param('id', ParseUUIDPipe) id: string): Product { return known(products, id); }

  @Put(':id') @ApiOkResponse({ type: Product })
  replace(@Param('id', ParseUUIDPipe) id: string, @Body() given: NewProduct): Product {
    known(products, id);
    products.set(id, { ...given, id });
    return known(products, id);
  }

  @Patch(':id') @ApiOkResponse({ type: Product })
  change(@Param('id', ParseUUIDPipe) id: string, @Body() given: ChangedProduct): Product {
    products.set(id, { ...known(products, id), ...given });
    return known(products, id);
  }

  @Delete(':id') @HttpCode(204) @ApiNoContentResponse()
  remove(@Param('id', ParseUUIDPipe) id: string): void {
    known(products, id);
    products.delete(id);
  }
}

@ApiBearerAuth() @UseGuards(TokenGuard) @Controller('reviews')
class ReviewsController {
  @Post() @ApiCreatedResponse({ type: Review })
  create(@Body() given: NewReview): Review {
    known(products, given.productId);
    const review = { ...given, id: reviews.size + 1 };
    reviews.set(review.id, review);
    return review;
  }

  @Get(':id') @ApiOkResponse({ type: Review })
  read(@Param('id', ParseIntPipe) id: number): Review { return known(reviews, id); }
}

@Module({ controllers: [HealthController, AuthController, ProductsController, ReviewsController] })
class ShopModule {}

const app = await NestFactory.create(ShopModule, { logger: ['error'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }));
const document = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Shop').setVersion('1').addBearerAuth().build());
SwaggerModule.setup('docs', app, document, { jsonDocumentUrl: 'openapi.json' });
await app.listen(Number(process.env.PORT), '127.0.0.1');
