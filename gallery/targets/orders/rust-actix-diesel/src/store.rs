use std::collections::BTreeMap;

use diesel::dsl::{count_star, exists, sql};
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::BigInt;
use diesel_async::pooled_connection::bb8::Pool;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use crate::order::{Change, Line, Listing, NewOrder, Order, OrderWithLines, Status, Summary};
use crate::problem::Problem;
use crate::schema::{customers, order_lines, orders};

/// Orders in PostgreSQL.
pub struct Store {
    pool: Pool<AsyncPgConnection>,
}

impl Store {
    pub fn new(pool: Pool<AsyncPgConnection>) -> Self {
        Self { pool }
    }

    pub async fn ping(&self) -> Result<(), Problem> {
        diesel::sql_query("SELECT 1").execute(&mut self.pool.get().await?).await?;
        Ok(())
    }

    pub async fn create(&self, wanted: &NewOrder) -> Result<Order, Problem> {
        let mut connection = self.pool.get().await?;
        connection
            .transaction::<Order, Problem, _>(async |connection| {
                let order: Order = diesel::insert_into(orders::table)
                    .values((orders::customer_id.eq(wanted.customer_id), orders::total_cents.eq(wanted.total_cents())))
                    .returning(Order::as_returning())
                    .get_result(connection)
                    .await
                    .map_err(no_such_customer)?;
                let lines = (1..).zip(&wanted.lines).map(|(position, line)| {
                    (order_lines::order_id.eq(order.id), order_lines::position.eq(position), line)
                });
                let lines: Vec<_> = lines.collect();
                diesel::insert_into(order_lines::table).values(lines).execute(connection).await?;
                Ok(order)
            })
            .await
    }

    pub async fn get(&self, id: i64) -> Result<OrderWithLines, Problem> {
        let mut connection = self.pool.get().await?;
        let order = orders::table
            .find(id)
            .select(Order::as_select())
            .first(&mut connection)
            .await
            .optional()?
            .ok_or(Problem::NotFound)?;
        let lines = order_lines::table
            .filter(order_lines::order_id.eq(id))
            .order(order_lines::position)
            .select(Line::as_select())
            .load(&mut connection)
            .await?;
        Ok(OrderWithLines { order, lines })
    }

    pub async fn update(&self, id: i64, wanted: &Change) -> Result<Order, Problem> {
        let mut connection = self.pool.get().await?;
        // No order has the version 0, as none has one beyond 32 bits.
        let version = i32::try_from(wanted.version).unwrap_or_default();
        let updated = diesel::update(orders::table.find(id).filter(orders::version.eq(version)))
            .set((orders::status.eq(wanted.status.as_str()), orders::version.eq(orders::version + 1)))
            .returning(Order::as_returning())
            .get_result(&mut connection)
            .await
            .optional()?;
        if let Some(order) = updated {
            return Ok(order);
        }
        let exists: bool = diesel::select(exists(orders::table.find(id))).get_result(&mut connection).await?;
        Err(if exists { Problem::Conflict } else { Problem::NotFound })
    }

    /// The database deletes the lines with their order.
    pub async fn remove(&self, id: i64) -> Result<(), Problem> {
        let deleted = diesel::delete(orders::table.find(id)).execute(&mut self.pool.get().await?).await?;
        if deleted == 0 { Err(Problem::NotFound) } else { Ok(()) }
    }

    pub async fn list(&self, wanted: &Listing) -> Result<Vec<Order>, Problem> {
        let mut query = orders::table.filter(orders::customer_id.eq(wanted.customer)).into_boxed();
        if let Some(status) = wanted.status {
            query = query.filter(orders::status.eq(status.as_str()));
        }
        if let Some(after) = wanted.after {
            query = query.filter(orders::id.lt(after));
        }
        let page = query.order(orders::id.desc()).limit(wanted.limit).select(Order::as_select());
        Ok(page.load(&mut self.pool.get().await?).await?)
    }

    pub async fn summarise(&self, id: i64) -> Result<Summary, Problem> {
        let mut connection = self.pool.get().await?;
        let name = customers::table
            .find(id)
            .select(customers::name)
            .first(&mut connection)
            .await
            .optional()?
            .ok_or(Problem::NotFound)?;
        let totals: Vec<(String, i64, i64)> = orders::table
            .filter(orders::customer_id.eq(id))
            .group_by(orders::status)
            .select((orders::status, count_star(), sql::<BigInt>("sum(total_cents)::bigint")))
            .load(&mut connection)
            .await?;
        let mut by_status: BTreeMap<_, _> = Status::ALL.map(|status| (status.as_str().to_owned(), 0)).into();
        let (order_count, total_cents) =
            totals.iter().fold((0, 0), |sums, (_, count, cents)| (sums.0 + count, sums.1 + cents));
        by_status.extend(totals.into_iter().map(|(status, count, _)| (status, count)));
        Ok(Summary { customer_id: id, name, order_count, total_cents, by_status })
    }
}

fn no_such_customer(error: Error) -> Problem {
    match error {
        Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _) => {
            Problem::Invalid("customerId: no such customer".to_owned())
        }
        other => Problem::Statement(other),
    }
}
