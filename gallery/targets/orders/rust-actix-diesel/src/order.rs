use std::collections::BTreeMap;

use diesel::prelude::*;
use garde::Validate;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::schema::{order_lines, orders};

const DEFAULT_LIMIT: i64 = 20;

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    New,
    Paid,
    Shipped,
    Cancelled,
}

impl Status {
    pub const ALL: [Self; 4] = [Self::New, Self::Paid, Self::Shipped, Self::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Paid => "paid",
            Self::Shipped => "shipped",
            Self::Cancelled => "cancelled",
        }
    }
}

#[derive(Serialize, Queryable, Selectable)]
#[diesel(table_name = orders)]
#[diesel(check_for_backend(diesel::pg::Pg))]
#[serde(rename_all = "camelCase")]
pub struct Order {
    pub id: i64,
    customer_id: i64,
    status: String,
    total_cents: i64,
    version: i32,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

#[derive(Serialize)]
pub struct OrderWithLines {
    #[serde(flatten)]
    pub order: Order,
    pub lines: Vec<Line>,
}

#[derive(Serialize, Deserialize, Queryable, Selectable, Insertable, Validate)]
#[diesel(table_name = order_lines)]
#[diesel(check_for_backend(diesel::pg::Pg))]
#[serde(rename_all = "camelCase")]
pub struct Line {
    #[garde(pattern(r"^[A-Z0-9-]{1,40}$"))]
    pub sku: String,
    #[garde(range(min = 1, max = 1_000))]
    pub quantity: i32,
    #[garde(range(min = 0, max = 10_000_000))]
    pub unit_price_cents: i32,
}

#[derive(Deserialize, Validate)]
#[serde(rename_all = "camelCase")]
pub struct NewOrder {
    #[garde(skip)]
    pub customer_id: i64,
    #[garde(dive, length(min = 1, max = 20))]
    pub lines: Vec<Line>,
}

#[derive(Deserialize)]
pub struct Change {
    pub status: Status,
    pub version: i64,
}

#[derive(Deserialize, Validate)]
#[garde(allow_unvalidated)]
pub struct Listing {
    pub customer: i64,
    pub status: Option<Status>,
    pub after: Option<i64>,
    #[garde(range(min = 1, max = 100))]
    #[serde(default = "default_limit")]
    pub limit: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    pub items: Vec<Order>,
    pub next_after: Option<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub customer_id: i64,
    pub name: String,
    pub order_count: i64,
    pub total_cents: i64,
    pub by_status: BTreeMap<String, i64>,
}

impl NewOrder {
    pub fn total_cents(&self) -> i64 {
        self.lines.iter().map(|line| i64::from(line.quantity) * i64::from(line.unit_price_cents)).sum()
    }
}

fn default_limit() -> i64 {
    DEFAULT_LIMIT
}
