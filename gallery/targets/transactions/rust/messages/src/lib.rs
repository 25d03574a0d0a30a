//! The messages between gateway and sample server: the field table, the names of the services, and the
//! structs of a transaction.

use ubf::{Field, UbfStruct, View, kind};

const BASE: u32 = 1000;

/// The message, for people.
pub const MESSAGE: Field<kind::Text> = Field::new(BASE + 3);
/// SUCCESS or ERROR.
pub const STATUS: Field<kind::Text> = Field::new(BASE + 4);
/// The amount, in the currency's smallest unit.
pub const AMOUNT: Field<kind::Long> = Field::new(BASE + 14);
/// The kind of transaction: `sale`.
pub const TRANS_TYPE: Field<kind::Text> = Field::new(BASE + 50);
/// The caller's name of the transaction.
pub const TRANS_ID: Field<kind::Text> = Field::new(BASE + 51);
/// The account.
pub const ACCOUNT: Field<kind::Text> = Field::new(BASE + 52);
/// The currency: three letters.
pub const CURRENCY: Field<kind::Text> = Field::new(BASE + 53);
/// A description, which may be absent.
pub const DESC: Field<kind::Text> = Field::new(BASE + 54);
/// Why a transaction was refused, for programs.
pub const ERROR_CODE: Field<kind::Text> = Field::new(BASE + 55);
/// Why a transaction was refused, for people.
pub const ERROR_MSG: Field<kind::Text> = Field::new(BASE + 56);

/// One of several transactions in a call, or its outcome in the reply.
pub const PART: Field<kind::Nested> = Field::new(BASE + 60);
/// Why the service failed for one of several transactions.
pub const FAILURE: Field<kind::Text> = Field::new(BASE + 61);

/// The services of the sample server.
pub mod service {
    /// Null → text.
    pub const STATUS: &str = "STATUS";
    /// Text, a name → text.
    pub const HELLO: &str = "HELLO";
    /// Text → the same text.
    pub const ECHO: &str = "ECHO";
    /// [`super::Transaction`] → [`super::Decision`].
    pub const TRANSACTION: &str = "TRANSACTION";
    /// [`super::Batch`] of transactions → [`super::Batch`] of as many outcomes, in their order.
    pub const TRANSACTIONS: &str = "TRANSACTIONS";
}

/// A requested transaction.
#[derive(Debug, Clone, PartialEq, Eq, UbfStruct)]
pub struct Transaction<'a> {
    /// Its kind: `sale`, in any case.
    #[ubf(field = TRANS_TYPE)]
    pub transaction_type: &'a str,
    /// The caller's name of it.
    #[ubf(field = TRANS_ID)]
    pub transaction_id: &'a str,
    /// The account.
    #[ubf(field = ACCOUNT)]
    pub account: &'a str,
    /// The amount.
    #[ubf(field = AMOUNT)]
    pub amount: i64,
    /// The currency.
    #[ubf(field = CURRENCY)]
    pub currency: &'a str,
    /// Its purpose.
    #[ubf(field = DESC)]
    pub description: Option<&'a str>,
}

/// The outcome of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, UbfStruct)]
pub struct Decision<'a> {
    /// The caller's name of it.
    #[ubf(field = TRANS_ID)]
    pub transaction_id: &'a str,
    /// SUCCESS or ERROR.
    #[ubf(field = STATUS)]
    pub status: &'a str,
    /// For people.
    #[ubf(field = MESSAGE)]
    pub message: &'a str,
    /// Of a refusal, for programs.
    #[ubf(field = ERROR_CODE)]
    pub error_code: Option<&'a str>,
    /// Of a refusal, for people.
    #[ubf(field = ERROR_MSG)]
    pub error_message: Option<&'a str>,
}

/// Several transactions, or what became of them.
#[derive(Debug, Clone, PartialEq, Eq, UbfStruct)]
pub struct Batch<'a> {
    /// Each a [`Transaction`], or each a [`Decision`] or an [`Outcome`] with a failure.
    #[ubf(field = PART)]
    pub parts: Vec<View<'a>>,
}

/// Whether the service failed for one of several transactions; if not, the same fields are a [`Decision`].
#[derive(Debug, Clone, PartialEq, Eq, UbfStruct)]
pub struct Outcome<'a> {
    /// Why it failed.
    #[ubf(field = FAILURE)]
    pub failure: Option<&'a str>,
}
