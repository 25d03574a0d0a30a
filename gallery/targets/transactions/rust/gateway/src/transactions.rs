//! A transaction between its JSON and its buffer.

use actix_web::HttpResponse;
use bus::Payload;
use messages::{Decision, Transaction};
use serde::{Deserialize, Serialize};
use ubf::{UbfError, UbfStruct, View};

use crate::errors::Problem;

const LONGEST: usize = 255;

/// The body of a request.
#[derive(Debug, Deserialize)]
pub struct TransactionRequest {
    transaction_type: String,
    transaction_id: String,
    account: String,
    amount: i64,
    currency: String,
    description: Option<String>,
}

/// The body of a reply, to a problem too.
#[derive(Debug, Serialize)]
struct TransactionReply<'a> {
    transaction_id: &'a str,
    status: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorDetail<'a>>,
}

#[derive(Debug, Serialize)]
struct ErrorDetail<'a> {
    code: &'a str,
    message: &'a str,
}

impl TransactionRequest {
    /// The rules that the types do not show.
    pub fn check(&self) -> Result<(), Problem> {
        let texts = [
            ("transaction_type", &self.transaction_type, 1),
            ("transaction_id", &self.transaction_id, 1),
            ("account", &self.account, 1),
        ];
        for (name, text, least) in texts.into_iter().chain(self.description.iter().map(|text| ("description", text, 0)))
        {
            if !(least..=LONGEST).contains(&text.chars().count()) {
                return Err(Problem::Invalid(format!("{name}: must have {least} to {LONGEST} characters")));
            }
        }
        if self.currency.len() != 3 || !self.currency.bytes().all(|letter| letter.is_ascii_uppercase()) {
            return Err(Problem::Invalid("currency: must be three letters from A to Z".into()));
        }
        Ok(())
    }

    /// The caller's name of it.
    pub fn id(&self) -> &str {
        &self.transaction_id
    }

    /// The call's buffer.
    pub fn payload(&self) -> Result<Payload, Problem> {
        let transaction = Transaction {
            transaction_type: &self.transaction_type,
            transaction_id: &self.transaction_id,
            account: &self.account,
            amount: self.amount,
            currency: &self.currency,
            description: self.description.as_deref(),
        };
        transaction.to_buffer().map(Payload::ubf).map_err(Problem::Encoding)
    }
}

/// The service's reply as JSON.
pub fn decided(payload: &Payload) -> Result<HttpResponse, Problem> {
    let view = View::parse(&payload.bytes).map_err(Problem::Parsing)?;
    let decision = Decision::read_from(view).map_err(Problem::Decoding)?;
    let error = match (decision.error_code, decision.error_message) {
        (Some(code), Some(message)) => Some(ErrorDetail { code, message }),
        (None, None) => None,
        _ => return Err(Problem::Decoding(UbfError::Missing(messages::ERROR_MSG.id()))),
    };
    let Decision { transaction_id, status, message, .. } = decision;
    Ok(HttpResponse::Ok().json(TransactionReply { transaction_id, status, message, error }))
}

/// The reply to a request that has none of its service.
pub fn refused(transaction_id: &str, problem: &Problem) -> HttpResponse {
    let reason = problem.to_string();
    let error = Some(ErrorDetail { code: problem.code(), message: &reason });
    let reply = TransactionReply { transaction_id, status: "ERROR", message: problem.title(), error };
    problem.reply().json(reply)
}
