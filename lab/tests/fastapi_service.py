"""A small FastAPI service: it keeps what it is sent, and refuses what its own description does not allow."""

from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal
from uuid import UUID, uuid4

from fastapi import Cookie, FastAPI, Header, HTTPException, Path, Query, Response
from pydantic import BaseModel, Field


class Colour(Enum):
    RED = "red"
    DARK_BLUE = "dark blue"


class Card(BaseModel):
    kind: Literal["card"]
    number: Annotated[str, Field(pattern=r"^\d{16}$")]


class Invoice(BaseModel):
    kind: Literal["invoice"]
    days: Annotated[int, Field(gt=0, le=90, multiple_of=15)]


class NewThing(BaseModel):
    name: Annotated[str, Field(min_length=3, max_length=60)]
    colours: Annotated[set[Colour], Field(min_length=1)]
    price: Annotated[Decimal, Field(ge=0, max_digits=8, decimal_places=2)]
    born: date
    sizes: tuple[int, str]
    payment: Annotated[Card | Invoice, Field(discriminator="kind")]
    notes: dict[str, int] = {}
    parent: "NewThing | None" = None


class Thing(NewThing):
    id: UUID


class NewPart(BaseModel):
    size: int


class Part(NewPart):
    part_id: int
    thing_id: UUID


class Order(BaseModel):
    thing_id: UUID
    count: Annotated[int, Field(ge=1)] = 1


class Label(BaseModel):
    key: Annotated[str, Field(pattern=r"^[a-z0-9-]{3,40}$")]
    text: str


def service() -> FastAPI:
    """A new service without anything in it."""
    app = FastAPI(title="Things")
    things: dict[UUID, Thing] = {}
    labels: dict[str, Label] = {}
    parts: dict[int, Part] = {}

    @app.get("/healthz")
    def health() -> dict[str, str]:
        return {}

    @app.post("/things", status_code=201)
    def create(new: NewThing) -> Thing:
        thing = Thing(id=uuid4(), **new.model_dump())
        things[thing.id] = thing
        return thing

    @app.get("/things/{thing_id}", responses={404: {"description": "none"}})
    def read(thing_id: UUID) -> Thing:
        if thing_id not in things:
            raise HTTPException(404)
        return things[thing_id]

    @app.put("/things/{thing_id}")
    def change(thing_id: UUID, new: NewThing) -> Thing:
        if thing_id not in things:
            raise HTTPException(404)
        things[thing_id] = Thing(id=thing_id, **new.model_dump())
        return things[thing_id]

    @app.delete("/things/{thing_id}", status_code=204)
    def remove(thing_id: UUID) -> None:
        if things.pop(thing_id, None) is None:
            raise HTTPException(404)

    @app.post("/things/{thing_id}/parts", status_code=201)
    def add_part(thing_id: UUID, new: NewPart) -> Part:
        if thing_id not in things:
            raise HTTPException(404)
        part = Part(part_id=len(parts) + 1, thing_id=thing_id, size=new.size)
        parts[part.part_id] = part
        return part

    @app.get("/things/{thing_id}/parts/{part_id}")
    def read_part(thing_id: UUID, part_id: int) -> Part:
        if part_id not in parts or parts[part_id].thing_id != thing_id:
            raise HTTPException(404)
        return parts[part_id]

    @app.post("/orders", status_code=202)
    def order(new: Order) -> Order:
        if new.thing_id not in things:
            raise HTTPException(409)
        return new

    @app.post("/labels", status_code=201)
    def add_label(label: Label) -> Label:
        if label.key in labels:
            raise HTTPException(409)
        labels[label.key] = label
        return label

    @app.get("/labels/{key}")
    def read_label(key: str) -> Label:
        if key not in labels:
            raise HTTPException(404)
        return labels[key]

    @app.get("/search")
    def search(
        tags: Annotated[list[str], Query(min_length=2)],
        colour: Colour,
        limit: Annotated[int, Query(ge=1, le=20)],
        x_trace: Annotated[str, Header(min_length=12)],
        session: Annotated[str, Cookie()],
    ) -> list[str]:
        return [*tags, colour.value, str(limit), x_trace, session]

    @app.post("/mail")
    def mail(message: dict[str, str | int]) -> Response:
        return Response(status_code=200)

    @app.get("/pages/{number}")
    def page(number: Annotated[int, Path(ge=1, le=3)]) -> int:
        return number

    return app
