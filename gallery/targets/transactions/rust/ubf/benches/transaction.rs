//! Nanoseconds to encode and decode a transaction: `cargo bench --package ubf`.

use std::hint::black_box;
use std::time::Instant;

use ubf::{Field, UbfStruct, View, kind};

const TYPE: Field<kind::Text> = Field::new(1050);
const ID: Field<kind::Text> = Field::new(1051);
const ACCOUNT: Field<kind::Text> = Field::new(1052);
const AMOUNT: Field<kind::Long> = Field::new(1014);
const CURRENCY: Field<kind::Text> = Field::new(1053);
const ROUNDS: u32 = 2_000_000;

#[derive(UbfStruct)]
struct Transaction<'a> {
    #[ubf(field = AMOUNT)]
    amount: i64,
    #[ubf(field = TYPE)]
    kind: &'a str,
    #[ubf(field = ID)]
    id: &'a str,
    #[ubf(field = ACCOUNT)]
    account: &'a str,
    #[ubf(field = CURRENCY)]
    currency: &'a str,
}

fn main() {
    let transaction = Transaction { amount: 15_000, kind: "sale", id: "TXN-TEST", account: "ACC-999", currency: "USD" };
    for _ in 0..5 {
        let began = Instant::now();
        for _ in 0..ROUNDS {
            let buffer = black_box(&transaction).to_buffer().expect("it fits");
            let view = View::parse(black_box(buffer.as_bytes())).expect("it is a buffer");
            black_box(Transaction::read_from(view).expect("it has every field").amount);
        }
        println!("{:.0} ns", f64::from(u32::try_from(began.elapsed().as_nanos() / u128::from(ROUNDS)).expect("short")));
    }
}
