"""The least that answers one operation of the contract: an order by its id, with the statements of the target.

side-by-side/minimal-orders.toml compares both.
"""

import os
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated

from fastapi import Depends, FastAPI
from pydantic import BaseModel
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import selectinload

from app.models import Order

engine = create_async_engine(
    make_url(os.environ["DATABASE_URL"]).set(drivername="postgresql+asyncpg"), pool_size=8, max_overflow=0
)
app = FastAPI()


class Line(BaseModel):
    sku: str
    quantity: int
    unit_price_cents: int


class OrderWithLines(BaseModel):
    id: int
    customer_id: int
    status: str
    total_cents: int
    version: int
    created_at: datetime
    lines: list[Line]


async def opened() -> AsyncIterator[AsyncSession]:
    async with AsyncSession(engine) as session:
        yield session


@app.get("/orders/{order_id}", response_model=OrderWithLines)
async def get_order(order_id: int, session: Annotated[AsyncSession, Depends(opened)]) -> Order | None:
    return await session.get(Order, order_id, options=[selectinload(Order.lines)])
