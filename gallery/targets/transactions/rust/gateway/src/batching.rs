//! Several transactions in one call: those that arrive while a call of their worker is outstanding travel together in the
//! next. None waits for a timer, so that a transaction that comes alone goes alone.

use actix_web::rt;
use actix_web::web::Data;
use bus::{CallError, Payload};
use messages::{Batch, Outcome, service};
use tokio::sync::oneshot;
use ubf::{UbfStruct, View};

use crate::calling::Services;
use crate::errors::Problem;
use crate::waiting::Waiting;

/// Calls with the next batch, and returns what became of this transaction.
pub async fn transaction(services: &Data<Services>, transaction: Payload) -> Result<Payload, Problem> {
    let _counted = services.enter()?;
    let (reply, replied) = oneshot::channel();
    let batches = services.batches();
    batches.add(Waiting { transaction, reply });
    if batches.begin_calling() {
        // A separate task: a client that leaves takes its request with it, and not the calls of others.
        rt::spawn(call_all(Data::clone(services)));
    }
    Ok(services.before_deadline(replied).await?.map_err(|_| CallError::Disconnected)??)
}

async fn call_all(services: Data<Services>) {
    loop {
        let batch = services.batches().next(services.batch_size());
        if batch.is_empty() {
            services.batches().end_calling();
            return;
        }
        call(&services, batch).await;
    }
}

async fn call(services: &Services, mut batch: Vec<Waiting>) {
    let outcomes = if batch.len() == 1 {
        let transaction = std::mem::replace(&mut batch[0].transaction, Payload::null());
        vec![services.call_now(service::TRANSACTION, transaction).await]
    } else {
        together(services, &batch).await
    };
    for (each, outcome) in batch.into_iter().zip(outcomes) {
        // A request that was given up meanwhile needs no outcome.
        let _ = each.reply.send(outcome);
    }
}

/// One call for all; its own failure is the outcome of each.
async fn together(services: &Services, batch: &[Waiting]) -> Vec<Result<Payload, CallError>> {
    let reply = match packed(batch) {
        Ok(payload) => services.call_now(service::TRANSACTIONS, payload).await,
        Err(error) => Err(CallError::Protocol(error.to_string())),
    };
    match reply.and_then(|reply| unpacked(&reply, batch.len())) {
        Ok(outcomes) => outcomes,
        Err(error) => batch.iter().map(|_| Err(error.clone())).collect(),
    }
}

fn packed(batch: &[Waiting]) -> Result<Payload, ubf::UbfError> {
    let parts = batch.iter().map(|each| View::parse(&each.transaction.bytes)).collect::<Result<_, _>>()?;
    Ok(Payload::ubf(Batch { parts }.to_buffer()?))
}

fn unpacked(reply: &Payload, expected: usize) -> Result<Vec<Result<Payload, CallError>>, CallError> {
    let broken = |error: ubf::UbfError| CallError::Protocol(error.to_string());
    let parts = Batch::read_from(View::parse(&reply.bytes).map_err(broken)?).map_err(broken)?.parts;
    if parts.len() != expected {
        return Err(CallError::Protocol(format!("{expected} transactions got {} outcomes", parts.len())));
    }
    parts.into_iter().map(|part| outcome(part).map_err(broken)).collect()
}

fn outcome(part: View<'_>) -> Result<Result<Payload, CallError>, ubf::UbfError> {
    Ok(match Outcome::read_from(part)?.failure {
        Some(failure) => Err(CallError::Failed(failure.into())),
        None => Ok(Payload { payload_type: bus::PayloadType::Ubf, bytes: part.to_bytes() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(parts: &[ubf::Buffer]) -> Payload {
        Payload::ubf(Batch { parts: parts.iter().map(ubf::Buffer::view).collect() }.to_buffer().unwrap())
    }

    #[test]
    fn outcomes_come_back_in_the_order_of_the_transactions() {
        let mut done = ubf::Buffer::new();
        done.add(messages::STATUS, &"SUCCESS").unwrap();
        let failed = Outcome { failure: Some("it broke") }.to_buffer().unwrap();
        let outcomes = unpacked(&batch(&[done.clone(), failed]), 2).unwrap();
        assert_eq!(outcomes, [Ok(Payload::ubf(done)), Err(CallError::Failed("it broke".into()))]);
    }

    #[test]
    fn a_reply_that_does_not_fit_the_batch_is_none() {
        let reply = batch(&[ubf::Buffer::new()]);
        assert_eq!(unpacked(&reply, 2), Err(CallError::Protocol("2 transactions got 1 outcomes".into())));
        assert!(matches!(unpacked(&Payload::text("garbage"), 1), Err(CallError::Protocol(_))));
    }
}
