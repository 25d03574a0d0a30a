use std::collections::BTreeMap;

use sqlx::{PgPool, Postgres, QueryBuilder};

use crate::order::{Change, Line, Listing, NewOrder, Order, OrderWithLines, Status, Summary};
use crate::problem::Problem;

/// Orders in PostgreSQL.
#[derive(Clone)]
pub struct Store {
    pool: PgPool,
}

impl Store {
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    pub async fn ping(&self) -> Result<(), Problem> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    pub async fn create(&self, wanted: &NewOrder) -> Result<Order, Problem> {
        let mut transaction = self.pool.begin().await?;
        let order: Order = sqlx::query_as("INSERT INTO orders (customer_id, total_cents) VALUES ($1, $2) RETURNING *")
            .bind(wanted.customer_id)
            .bind(wanted.total_cents())
            .fetch_one(&mut *transaction)
            .await
            .map_err(no_such_customer)?;
        let lines = &wanted.lines;
        sqlx::query(
            "INSERT INTO order_lines (order_id, position, sku, quantity, unit_price_cents)
             SELECT $1, position, sku, quantity, unit_price_cents
             FROM UNNEST($2::text[], $3::integer[], $4::integer[])
                 WITH ORDINALITY AS line (sku, quantity, unit_price_cents, position)",
        )
        .bind(order.id)
        .bind(lines.iter().map(|line| line.sku.as_str()).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.quantity).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.unit_price_cents).collect::<Vec<_>>())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(order)
    }

    pub async fn get(&self, id: i64) -> Result<OrderWithLines, Problem> {
        let order = sqlx::query_as("SELECT * FROM orders WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.pool)
            .await?
            .ok_or(Problem::NotFound)?;
        let lines: Vec<Line> = sqlx::query_as(
            "SELECT sku, quantity, unit_price_cents FROM order_lines WHERE order_id = $1 ORDER BY position",
        )
        .bind(id)
        .fetch_all(&self.pool)
        .await?;
        Ok(OrderWithLines { order, lines })
    }

    pub async fn update(&self, id: i64, wanted: &Change) -> Result<Order, Problem> {
        let updated = sqlx::query_as(
            "UPDATE orders SET status = $3, version = version + 1 WHERE id = $1 AND version = $2 RETURNING *",
        )
        .bind(id)
        .bind(wanted.version)
        .bind(wanted.status)
        .fetch_optional(&self.pool)
        .await?;
        if let Some(order) = updated {
            return Ok(order);
        }
        let exists: bool = sqlx::query_scalar("SELECT EXISTS (SELECT FROM orders WHERE id = $1)")
            .bind(id)
            .fetch_one(&self.pool)
            .await?;
        Err(if exists { Problem::Conflict } else { Problem::NotFound })
    }

    /// The database deletes the lines with their order.
    pub async fn remove(&self, id: i64) -> Result<(), Problem> {
        let deleted = sqlx::query("DELETE FROM orders WHERE id = $1").bind(id).execute(&self.pool).await?;
        if deleted.rows_affected() == 0 { Err(Problem::NotFound) } else { Ok(()) }
    }

    pub async fn list(&self, wanted: &Listing) -> Result<Vec<Order>, Problem> {
        let mut query = QueryBuilder::<Postgres>::new("SELECT * FROM orders WHERE customer_id = ");
        query.push_bind(wanted.customer);
        if let Some(status) = wanted.status {
            query.push(" AND status = ").push_bind(status);
        }
        if let Some(after) = wanted.after {
            query.push(" AND id < ").push_bind(after);
        }
        query.push(" ORDER BY id DESC LIMIT ").push_bind(wanted.limit);
        Ok(query.build_query_as().fetch_all(&self.pool).await?)
    }

    pub async fn summarise(&self, id: i64) -> Result<Summary, Problem> {
        let name = sqlx::query_scalar("SELECT name FROM customers WHERE id = $1")
            .bind(id)
            .fetch_optional(&self.pool)
            .await?
            .ok_or(Problem::NotFound)?;
        let totals: Vec<(Status, i64, i64)> = sqlx::query_as(
            "SELECT status, count(*), sum(total_cents)::bigint FROM orders WHERE customer_id = $1 GROUP BY status",
        )
        .bind(id)
        .fetch_all(&self.pool)
        .await?;
        let mut by_status: BTreeMap<_, _> = Status::ALL.map(|status| (status, 0)).into();
        by_status.extend(totals.iter().map(|&(status, count, _)| (status, count)));
        Ok(Summary {
            customer_id: id,
            name,
            order_count: totals.iter().map(|(_, count, _)| count).sum(),
            total_cents: totals.iter().map(|(_, _, cents)| cents).sum(),
            by_status,
        })
    }
}

fn no_such_customer(error: sqlx::Error) -> Problem {
    match error.as_database_error() {
        Some(found) if found.is_foreign_key_violation() => Problem::Invalid("customerId: no such customer".to_owned()),
        _ => Problem::Database(error),
    }
}
