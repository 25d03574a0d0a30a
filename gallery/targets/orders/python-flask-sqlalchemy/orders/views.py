"""The operations of the contract."""

from http import HTTPStatus
from typing import get_args

from flask import Blueprint, Response, abort, request, url_for
from sqlalchemy import BigInteger, delete, func, literal, select, text, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import selectinload

from orders.models import Customer, Order, OrderLine, db
from orders.schemas import MAX_WHOLE, Change, Listing, NewOrder, OrderReply, OrderWithLines, Page, Status, Summary

Reply = dict[str, object]

orders = Blueprint("orders", __name__)


@orders.post("/orders")
def create_order() -> tuple[Reply, int, dict[str, str]]:
    wanted = NewOrder.model_validate(request.get_json())
    order = Order(customer_id=wanted.customer_id, total_cents=wanted.total_cents)
    order.lines = [OrderLine(position=index, **line.model_dump()) for index, line in enumerate(wanted.lines, start=1)]
    db.session.add(order)
    try:
        db.session.flush()
    except IntegrityError:
        abort(HTTPStatus.BAD_REQUEST, "customerId: no such customer")
    # Before the commit, which would make every attribute be read again.
    reply = OrderWithLines.reply(order)
    db.session.commit()
    return reply, HTTPStatus.CREATED, {"Location": url_for("orders.get_order", order_id=reply["id"])}


@orders.get("/orders")
def list_orders() -> Reply:
    wanted = Listing.model_validate(request.args.to_dict())
    statement = select(Order).where(Order.customer_id == wanted.customer)
    if wanted.status is not None:
        statement = statement.where(Order.status == wanted.status)
    if wanted.after is not None:
        statement = statement.where(Order.id < wanted.after)
    found = db.session.scalars(statement.order_by(Order.id.desc()).limit(wanted.limit)).all()
    return Page.reply({"items": found, "next_after": found[-1].id if len(found) == wanted.limit else None})


@orders.get(f"/orders/<int(max={MAX_WHOLE}):order_id>")
def get_order(order_id: int) -> Reply:
    return OrderWithLines.reply(db.get_or_404(Order, order_id, options=[selectinload(Order.lines)]))


@orders.patch(f"/orders/<int(max={MAX_WHOLE}):order_id>")
def update_order(order_id: int) -> Reply:
    wanted = Change.model_validate(request.get_json())
    updated = db.session.scalar(
        update(Order)
        # The client's number may not fit into the column.
        .where(Order.id == order_id, Order.version == literal(wanted.version, BigInteger))
        .values(status=wanted.status, version=Order.version + 1)
        .returning(Order)
    )
    if updated is None:
        db.get_or_404(Order, order_id)
        abort(HTTPStatus.CONFLICT, "version: the order has another version")
    reply = OrderReply.reply(updated)
    db.session.commit()
    return reply


@orders.delete(f"/orders/<int(max={MAX_WHOLE}):order_id>")
def delete_order(order_id: int) -> Response:
    if db.session.execute(delete(Order).where(Order.id == order_id)).rowcount == 0:
        abort(HTTPStatus.NOT_FOUND)
    db.session.commit()
    return Response(status=HTTPStatus.NO_CONTENT)


@orders.get(f"/customers/<int(max={MAX_WHOLE}):customer_id>/summary")
def summarise(customer_id: int) -> Reply:
    customer = db.get_or_404(Customer, customer_id)
    rows = db.session.execute(
        select(Order.status, func.count(), func.sum(Order.total_cents))
        .where(Order.customer_id == customer_id)
        .group_by(Order.status)
    )
    by_status, total_cents = dict.fromkeys(get_args(Status), 0), 0
    for status, count, cents in rows:
        by_status[status] = count
        total_cents += int(cents)
    summary = {
        "customer_id": customer_id,
        "name": customer.name,
        "order_count": sum(by_status.values()),
        "total_cents": total_cents,
        "by_status": by_status,
    }
    return Summary.reply(summary)


@orders.get("/healthz")
def health() -> Reply:
    try:
        db.session.execute(text("SELECT 1"))
    except SQLAlchemyError:
        abort(HTTPStatus.SERVICE_UNAVAILABLE, "PostgreSQL does not answer")
    return {"status": "ok"}
