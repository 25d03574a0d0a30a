"""The operations of the contract."""

import json
from collections.abc import Mapping
from http import HTTPStatus

from django import forms
from django.core.exceptions import BadRequest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import Count, F, Sum
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.views import View

from orders.forms import ChangeForm, LineForm, ListingForm, NewOrderForm
from orders.models import Customer, Order, OrderLine
from orders.problems import problem

MAX_LINES = 20
DEFAULT_LIMIT = 20


class ApiView(View):
    def http_method_not_allowed(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        allowed = super().http_method_not_allowed(request, *args, **kwargs)
        response = problem(HTTPStatus.METHOD_NOT_ALLOWED, f"{request.method} is not allowed")
        response.headers["Allow"] = allowed.headers["Allow"]
        return response


class OrdersView(ApiView):
    def post(self, request: HttpRequest) -> HttpResponse:
        body = body_of(request)
        customer_id = checked(NewOrderForm(body))["customerId"]
        lines = [
            OrderLine(
                position=position,
                sku=line["sku"],
                quantity=line["quantity"],
                unit_price_cents=line["unitPriceCents"],
            )
            for position, line in enumerate(checked_lines(body), start=1)
        ]
        total_cents = sum(line.quantity * line.unit_price_cents for line in lines)
        try:
            with transaction.atomic():
                order = Order.objects.create(customer_id=customer_id, total_cents=total_cents)
                for line in lines:
                    line.order = order
                OrderLine.objects.bulk_create(lines)
        except IntegrityError as error:
            raise BadRequest("customerId: no such customer") from error
        reply = {**order.described(), "lines": [line.described() for line in lines]}
        return JsonResponse(reply, status=HTTPStatus.CREATED, headers={"Location": f"/orders/{order.pk}"})

    def get(self, request: HttpRequest) -> HttpResponse:
        if "" in request.GET.values():
            raise BadRequest("a parameter without a value")
        wanted = checked(ListingForm(request.GET))
        orders = Order.objects.filter(customer_id=wanted["customer"])
        if wanted["status"]:
            orders = orders.filter(status=wanted["status"])
        if wanted["after"] is not None:
            orders = orders.filter(pk__lt=wanted["after"])
        limit = wanted["limit"] or DEFAULT_LIMIT
        items = [order.described() for order in orders.order_by("-pk")[:limit]]
        return JsonResponse({"items": items, "nextAfter": items[-1]["id"] if len(items) == limit else None})


class OrderView(ApiView):
    def get(self, _: HttpRequest, order_id: int) -> HttpResponse:
        order = get_object_or_404(Order.objects.prefetch_related("lines"), pk=order_id)
        return JsonResponse({**order.described(), "lines": [line.described() for line in order.lines.all()]})

    def patch(self, request: HttpRequest, order_id: int) -> HttpResponse:
        wanted = checked(ChangeForm(body_of(request)))
        order = get_object_or_404(Order, pk=order_id)
        # The condition, not the order that was read, decides which of two requests is the first.
        changed = Order.objects.filter(pk=order_id, version=wanted["version"]).update(
            status=wanted["status"], version=F("version") + 1
        )
        if not changed:
            return problem(HTTPStatus.CONFLICT, "version: the order has another version")
        order.status, order.version = wanted["status"], wanted["version"] + 1
        return JsonResponse(order.described())

    def delete(self, _: HttpRequest, order_id: int) -> HttpResponse:
        deleted, _ = Order.objects.filter(pk=order_id).delete()
        if not deleted:
            raise Http404
        return HttpResponse(status=HTTPStatus.NO_CONTENT)


class SummaryView(ApiView):
    def get(self, _: HttpRequest, customer_id: int) -> HttpResponse:
        customer = get_object_or_404(Customer, pk=customer_id)
        by_status, total_cents = dict.fromkeys(Order.Status.values, 0), 0
        for group in (
            Order.objects.filter(customer=customer)
            .values("status")
            .annotate(count=Count("pk"), total_cents=Sum("total_cents"))
        ):
            by_status[group["status"]] = group["count"]
            total_cents += group["total_cents"]
        summary = {
            "customerId": customer.pk,
            "name": customer.name,
            "orderCount": sum(by_status.values()),
            "totalCents": total_cents,
            "byStatus": by_status,
        }
        return JsonResponse(summary)


class HealthView(ApiView):
    def get(self, _: HttpRequest) -> HttpResponse:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        except DatabaseError:
            return problem(HTTPStatus.SERVICE_UNAVAILABLE, "PostgreSQL does not answer")
        return JsonResponse({"status": "ok"})


def body_of(request: HttpRequest) -> Mapping[str, object]:
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"body: {error}") from error
    if not isinstance(body, dict):
        raise BadRequest("body: must be an object")
    return body


def checked(form: forms.Form) -> Mapping[str, object]:
    if not form.is_valid():
        name, messages = next(iter(form.errors.items()))
        raise BadRequest(f"{name}: {messages[0]}")
    return form.cleaned_data


def checked_lines(body: Mapping[str, object]) -> list[Mapping[str, object]]:
    lines = body.get("lines")
    if not isinstance(lines, list) or not 1 <= len(lines) <= MAX_LINES:
        raise BadRequest(f"lines: must have 1 to {MAX_LINES} elements")
    if not all(isinstance(line, dict) for line in lines):
        raise BadRequest("lines: each must be an object")
    return [checked(LineForm(line)) for line in lines]
