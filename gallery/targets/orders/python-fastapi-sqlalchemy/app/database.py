"""The engine, its pool, and a session for each request."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine

from app.settings import DATABASE_URL, POOL_SIZE

engine = create_async_engine(
    make_url(DATABASE_URL).set(drivername="postgresql+asyncpg"), pool_size=POOL_SIZE, max_overflow=0
)
open_session = async_sessionmaker(engine, expire_on_commit=False)


async def session_of_request() -> AsyncIterator[AsyncSession]:
    async with open_session() as session:
        yield session


SessionDep = Annotated[AsyncSession, Depends(session_of_request)]
