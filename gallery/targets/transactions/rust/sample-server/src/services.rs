use bus::{Payload, PayloadType, Services};
use messages::{Batch, Decision, Outcome, Transaction, service};
use tracing::debug;
use ubf::{Buffer, UbfError, UbfStruct, View};

/// The documented services.
#[derive(Debug, Clone, Copy)]
pub struct SampleServices;

impl Services for SampleServices {
    fn names(&self) -> Vec<&'static str> {
        vec![service::STATUS, service::HELLO, service::ECHO, service::TRANSACTION, service::TRANSACTIONS]
    }

    fn call(&self, name: &str, payload: Payload) -> Result<Payload, String> {
        debug!(service = name, bytes = payload.bytes.len(), "called");
        match name {
            service::STATUS => Ok(Payload::text("Status: OK")),
            service::HELLO => Ok(Payload::text(format!("Hello, {}!", text(&payload)?))),
            service::ECHO => text(&payload).map(Payload::text),
            service::TRANSACTION => decided(buffer(&payload)?).map(Payload::ubf),
            service::TRANSACTIONS => transactions(buffer(&payload)?),
            _ => Err(format!("no service {name}")),
        }
    }
}

fn text(payload: &Payload) -> Result<&str, String> {
    match payload.payload_type {
        PayloadType::Text => str::from_utf8(&payload.bytes).map_err(|_| "the text is not UTF-8".into()),
        other => Err(format!("a text is needed, not {other:?}")),
    }
}

fn buffer(payload: &Payload) -> Result<View<'_>, String> {
    if payload.payload_type != PayloadType::Ubf {
        return Err(format!("a fielded buffer is needed, not {:?}", payload.payload_type));
    }
    View::parse(&payload.bytes).map_err(|error| error.to_string())
}

fn decided(view: View<'_>) -> Result<Buffer, String> {
    let transaction = Transaction::read_from(view).map_err(|error| error.to_string())?;
    decide(&transaction).map_err(|error| error.to_string())
}

/// A transaction that fails is reported in its place, and fails no other.
fn transactions(view: View<'_>) -> Result<Payload, String> {
    let outcome = |part| decided(part).or_else(|reason| Outcome { failure: Some(&reason) }.to_buffer());
    let outcomes = || {
        let parts = Batch::read_from(view)?.parts.into_iter().map(outcome).collect::<Result<Vec<_>, _>>()?;
        Batch { parts: parts.iter().map(Buffer::view).collect() }.to_buffer()
    };
    outcomes().map(Payload::ubf).map_err(|error| error.to_string())
}

fn decide(transaction: &Transaction<'_>) -> Result<Buffer, UbfError> {
    let Transaction { transaction_id, transaction_type, .. } = *transaction;
    if transaction_type.eq_ignore_ascii_case("sale") {
        let message = format!("Transaction {transaction_id} processed successfully");
        let (status, error_code, error_message) = ("SUCCESS", None, None);
        return Decision { transaction_id, status, message: &message, error_code, error_message }.to_buffer();
    }
    let reason = format!("Expected 'sale' transaction type, got '{transaction_type}'");
    Decision {
        transaction_id,
        status: "ERROR",
        message: "Transaction validation failed",
        error_code: Some("INVALID_TYPE"),
        error_message: Some(&reason),
    }
    .to_buffer()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(service: &str, payload: Payload) -> Result<Payload, String> {
        SampleServices.call(service, payload)
    }

    fn transaction(transaction_type: &str) -> Payload {
        let (transaction_id, account, currency) = ("T-1", "ACC-9", "USD");
        let transaction =
            Transaction { transaction_type, transaction_id, account, amount: 15_000, currency, description: None };
        Payload::ubf(transaction.to_buffer().unwrap())
    }

    #[test]
    fn texts_are_answered() {
        assert_eq!(ask("STATUS", Payload::null()), Ok(Payload::text("Status: OK")));
        assert_eq!(ask("HELLO", Payload::text("Zoë")), Ok(Payload::text("Hello, Zoë!")));
        assert_eq!(ask("ECHO", Payload::text("")), Ok(Payload::text("")));
        assert_eq!(ask("ECHO", Payload::null()), Err("a text is needed, not Null".into()));
        assert_eq!(ask("NOPE", Payload::null()), Err("no service NOPE".into()));
    }

    #[test]
    fn a_sale_succeeds_in_any_case_and_nothing_else_does() {
        for kind in ["sale", "SALE", "Sale"] {
            let reply = ask("TRANSACTION", transaction(kind)).unwrap();
            let decision = Decision::read_from(View::parse(&reply.bytes).unwrap()).unwrap();
            assert_eq!((decision.status, decision.error_code), ("SUCCESS", None));
            assert_eq!(decision.message, "Transaction T-1 processed successfully");
        }
        let reply = ask("TRANSACTION", transaction("refund")).unwrap();
        let decision = Decision::read_from(View::parse(&reply.bytes).unwrap()).unwrap();
        assert_eq!((decision.status, decision.error_code), ("ERROR", Some("INVALID_TYPE")));
        assert_eq!(decision.error_message, Some("Expected 'sale' transaction type, got 'refund'"));
    }

    #[test]
    fn each_of_several_transactions_has_an_outcome_of_its_own() {
        let payloads = [transaction("sale"), Payload::ubf(Buffer::new()), transaction("refund")];
        let parts = payloads.iter().map(|payload| View::parse(&payload.bytes).unwrap()).collect();
        let reply = ask("TRANSACTIONS", Payload::ubf(Batch { parts }.to_buffer().unwrap())).unwrap();
        let outcomes = Batch::read_from(View::parse(&reply.bytes).unwrap()).unwrap().parts;
        let failures: Vec<_> = outcomes.iter().map(|part| Outcome::read_from(*part).unwrap().failure).collect();
        assert_eq!(failures, [None, Some("field 1050 is missing"), None]);
        let statuses = [0, 2].map(|place| Decision::read_from(outcomes[place]).unwrap().status);
        assert_eq!(statuses, ["SUCCESS", "ERROR"]);
    }

    #[test]
    fn bytes_that_are_no_transaction_fail_the_call() {
        assert_eq!(ask("TRANSACTION", Payload::text("x")), Err("a fielded buffer is needed, not Text".into()));
        let garbage = Payload { payload_type: PayloadType::Ubf, bytes: b"garbage".to_vec() };
        assert!(ask("TRANSACTION", garbage).unwrap_err().starts_with("the buffer ends"));
        let empty = Payload::ubf(Buffer::new());
        assert_eq!(ask("TRANSACTION", empty), Err("field 1050 is missing".into()));
    }
}
