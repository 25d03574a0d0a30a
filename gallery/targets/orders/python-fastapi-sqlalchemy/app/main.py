"""The operations of the contract."""

import asyncio
from http import HTTPStatus
from typing import Annotated, TypeVar, get_args

from fastapi import FastAPI, HTTPException, Path, Query, Response
from sqlalchemy import BigInteger, delete, func, literal, select, text, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import selectinload

from app import problems
from app.database import SessionDep
from app.models import Customer, Order, OrderLine
from app.schemas import MAX_WHOLE, Change, Listing, NewOrder, OrderReply, OrderWithLines, Page, Status, Summary

HEALTH_TIMEOUT_S = 2
MAX_BODY_BYTES = 65_536

app = FastAPI(title="Orders", max_body_size=MAX_BODY_BYTES)
problems.register(app)

Row = TypeVar("Row")
Id = Annotated[int, Path(ge=1, le=MAX_WHOLE)]


@app.post("/orders", status_code=HTTPStatus.CREATED)
async def create_order(wanted: NewOrder, session: SessionDep, response: Response) -> OrderWithLines:
    order = Order(customer_id=wanted.customer_id, total_cents=wanted.total_cents)
    order.lines = [OrderLine(position=index, **line.model_dump()) for index, line in enumerate(wanted.lines, start=1)]
    session.add(order)
    try:
        await session.commit()
    except IntegrityError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "customerId: no such customer") from error
    response.headers["Location"] = f"/orders/{order.id}"
    return order


@app.get("/orders")
async def list_orders(wanted: Annotated[Listing, Query()], session: SessionDep) -> Page:
    statement = select(Order).where(Order.customer_id == wanted.customer)
    if wanted.status is not None:
        statement = statement.where(Order.status == wanted.status)
    if wanted.after is not None:
        statement = statement.where(Order.id < wanted.after)
    orders = (await session.scalars(statement.order_by(Order.id.desc()).limit(wanted.limit))).all()
    return Page(items=orders, next_after=orders[-1].id if len(orders) == wanted.limit else None)


@app.get("/orders/{order_id}")
async def get_order(order_id: Id, session: SessionDep) -> OrderWithLines:
    return found(await session.get(Order, order_id, options=[selectinload(Order.lines)]))


@app.patch("/orders/{order_id}")
async def update_order(order_id: Id, wanted: Change, session: SessionDep) -> OrderReply:
    updated = await session.scalar(
        update(Order)
        # The client's number may not fit into the column.
        .where(Order.id == order_id, Order.version == literal(wanted.version, BigInteger))
        .values(status=wanted.status, version=Order.version + 1)
        .returning(Order)
    )
    if updated is None:
        found(await session.get(Order, order_id))
        raise HTTPException(HTTPStatus.CONFLICT, "version: the order has another version")
    await session.commit()
    return updated


@app.delete("/orders/{order_id}", status_code=HTTPStatus.NO_CONTENT)
async def delete_order(order_id: Id, session: SessionDep) -> None:
    deleted = await session.execute(delete(Order).where(Order.id == order_id))
    if deleted.rowcount == 0:
        raise HTTPException(HTTPStatus.NOT_FOUND, "not found")
    await session.commit()


@app.get("/customers/{customer_id}/summary")
async def summarise(customer_id: Id, session: SessionDep) -> Summary:
    customer = found(await session.get(Customer, customer_id))
    rows = await session.execute(
        select(Order.status, func.count(), func.sum(Order.total_cents))
        .where(Order.customer_id == customer_id)
        .group_by(Order.status)
    )
    by_status, total_cents = dict.fromkeys(get_args(Status), 0), 0
    for status, count, cents in rows:
        by_status[status] = count
        total_cents += int(cents)
    return Summary(
        customer_id=customer_id,
        name=customer.name,
        order_count=sum(by_status.values()),
        total_cents=total_cents,
        by_status=by_status,
    )


@app.get("/healthz")
async def health(session: SessionDep) -> dict[str, str]:
    try:
        async with asyncio.timeout(HEALTH_TIMEOUT_S):
            await session.execute(text("SELECT 1"))
    except (OSError, SQLAlchemyError) as error:
        raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, "PostgreSQL does not answer") from error
    return {"status": "ok"}


def found(row: Row | None) -> Row:
    if row is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, "not found")
    return row
