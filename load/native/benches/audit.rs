//! Measures an audit: `TEST_DATABASE_URL=… cargo bench --bench audit [-- ENTITIES]`, one million by default.
//!
//! A ledger of twice as many writes, half of which update an entity as in the events workload, and the table that they
//! leave, in its own schema. Prints the time from beginning to end, as the lab waits for it.

#[path = "../tests/support/mod.rs"]
mod support;

use std::collections::HashMap;
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use bakeoff_load::audit::{Source, audit};
use bakeoff_load::ledger::{LedgerFile, Outcome};
use bakeoff_load::plan::Plan;
use bakeoff_load::workload::{END_OF_PART, Renderer, Workload};
use postgres::{Client, NoTls};
use serde_json::{Value, json};

const ENTITIES: usize = 1_000_000;
const USERS: u32 = 64;
const ROUNDS: usize = 3;
const SCHEMA: &str = "audit_bench";

fn main() -> Result<(), Box<dyn Error>> {
    let Ok(url) = std::env::var("TEST_DATABASE_URL") else {
        println!("audit: skipped, TEST_DATABASE_URL is not set");
        return Ok(());
    };
    let entities = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(ENTITIES);
    let mut client = Client::connect(&url, NoTls)?;
    client.batch_execute(&format!("DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}"))?;
    let measured = measure(&url, entities);
    client.batch_execute(&format!("DROP SCHEMA {SCHEMA} CASCADE"))?;
    measured
}

fn measure(url: &str, entities: usize) -> Result<(), Box<dyn Error>> {
    let separator = if url.contains('?') { '&' } else { '?' };
    let url = format!("{url}{separator}options=-csearch_path%3D{SCHEMA}");
    let folder = tempfile::tempdir()?;
    let (plan, ledger) = (folder.path().join("plan"), folder.path().join("ledger"));
    std::fs::write(&plan, plan_json().to_string())?;
    let (writes, rows) = write_ledger(&plan, &ledger, entities)?;
    store(&url, &rows)?;
    let sql = contract("audit.sql");
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let verdict = audit(&plan, &ledger, Source::Database { url: url.clone(), sql: sql.clone() }, 10)?;
        let seconds = begun.elapsed().as_secs_f64();
        assert!(verdict.is_clean(), "{}", verdict.json());
        assert_eq!(verdict.json()["rows"], json!(entities));
        println!(
            "audit: {entities} entities, {writes} writes, {seconds:.2} s, {:.2} µs a write; the verdict says {:.2} s",
            seconds * 1e6 / writes as f64,
            verdict.json()["seconds"].as_f64().unwrap_or_default(),
        );
    }
    Ok(())
}

fn contract(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/events").join(name)
}

/// Two of the events workload's kinds, as the lab compiles them.
fn plan_json() -> Value {
    let (key, timestamp) = (json!({"slot": "key"}), json!({"slot": "timestamp"}));
    let operation = |index: usize, kind: &str, attributes: Vec<Value>| {
        let frame = format!(
            "\",\"eventType\":\"{kind}\"}},\"eventBody\":{{\"entities\":[{{\"entityType\":\"{kind}\",\"entityId\":\""
        );
        let mut message = vec![
            json!("{\"eventHeader\":{\"uuid\":\""),
            json!({"slot": "uuid"}),
            json!("\",\"createdDate\":\""),
            timestamp.clone(),
            json!("\",\"savedDate\":\""),
            timestamp.clone(),
            json!(frame),
            key.clone(),
            json!("\",\"updatedAttributes\":{"),
        ];
        message.extend(attributes);
        message.push(json!("}}]}}"));
        let mut operation = support::operation("POST", json!(["/"]), json!(message));
        operation["key"] = json!(index);
        operation["effect"] =
            json!({"kind": "merge", "document": "/eventBody/entities/0/updatedAttributes", "key": [[kind], [key]]});
        operation
    };
    let operations = [
        operation(
            0,
            "Car",
            vec![
                json!("\"id\":\""),
                key.clone(),
                json!("\",\"make\":\""),
                json!({"slot": "choice", "choices": ["Toyota", "Honda", "Ford", "BMW", "Tesla", "Volvo"]}),
                json!("\",\"model\":\""),
                json!({"slot": "choice", "choices": ["Model S", "Civic", "Corolla", "Focus", "V60", "320i"]}),
                json!("\",\"year\":"),
                json!({"slot": "integer", "min": 1998, "max": 2026}),
                json!(",\"vin\":\""),
                json!({"slot": "alphanumeric", "length": 17}),
                json!("\""),
            ],
        ),
        operation(
            1,
            "Loan",
            vec![
                json!("\"balance\":"),
                json!({"slot": "decimal", "min": 100_000, "max": 5_000_000, "scale": 2}),
                json!(",\"interestRate\":"),
                json!({"slot": "decimal", "min": 100, "max": 1_200, "scale": 2}),
                json!(",\"termMonths\":"),
                json!({"slot": "integer", "min": 12, "max": 84}),
                json!(",\"status\":\""),
                json!({"slot": "choice", "choices": ["pending", "active", "approved"]}),
                json!("\",\"lastPaidDate\":\""),
                timestamp.clone(),
                json!("\",\"createdAt\":\""),
                timestamp.clone(),
                json!("\""),
            ],
        ),
    ];
    let reuse = json!({"share": 0.5, "pick": "uniform"});
    let kind = |name: &str| json!({"name": name, "reuse": reuse, "format": [format!("{name}-"), {"slot": "user"}, "-", {"slot": "sequence"}]});
    let nowhere = "127.0.0.1:1".parse().expect("an address");
    support::plan_json(nowhere, &json!({"operations": operations, "keys": [kind("car"), kind("loan")]}))
}

/// Keys and documents.
type Rows = Vec<(Vec<u8>, Vec<u8>)>;

/// Events of users in turn, all acknowledged; how many there are, and what they leave behind.
fn write_ledger(plan: &Path, path: &Path, entities: usize) -> Result<(u64, Rows), Box<dyn Error>> {
    let plan = Plan::read(plan)?;
    let workload = Arc::new(Workload::compile_messages(&plan)?);
    let file = LedgerFile::create(path, plan.seed_number(), plan.run.as_bytes())?;
    let mut sink = file.sink();
    let mut renderer = Renderer::new(Arc::clone(&workload));
    let mut users = vec![workload.new_user(); USERS as usize];
    let (mut known, mut rows) = (HashMap::new(), Rows::new());
    let (mut message, mut writes) = (Vec::new(), 0);
    'writing: for sequence in 0.. {
        for (user, state) in (0..).zip(&mut users) {
            let event = renderer.next(user, state, sequence);
            message.clear();
            renderer.json(&mut message);
            let message: Value = serde_json::from_slice(&message)?;
            let document = message["eventBody"]["entities"][0]["updatedAttributes"].to_string().into_bytes();
            let mut key = Vec::new();
            renderer.effect_key(user, &event, None, &mut key);
            if rows.len() == entities && !known.contains_key(&key) {
                break 'writing;
            }
            let index = *known.entry(key.clone()).or_insert(rows.len());
            // Every event of a kind names all of its members, so that merging is replacing.
            if index == rows.len() {
                rows.push((key, document))
            } else {
                rows[index].1 = document
            }
            state.acknowledge(&workload.operations[usize::from(event.operation)], &workload.sessions, &event, None);
            sink.record(user, &event, Outcome::Acknowledged, None);
            writes += 1;
        }
    }
    sink.flush();
    drop(sink);
    file.finish()?;
    Ok((writes, rows))
}

fn store(url: &str, rows: &Rows) -> Result<(), Box<dyn Error>> {
    let mut client = Client::connect(url, NoTls)?;
    client.batch_execute(&std::fs::read_to_string(contract("schema.sql"))?)?;
    let mut copy = client.copy_in("COPY car_entities (entity_type, id, data) FROM STDIN")?;
    for (key, document) in rows {
        for part in key.split_inclusive(|byte| *byte == END_OF_PART) {
            copy.write_all(&part[..part.len() - 1])?;
            copy.write_all(b"\t")?;
        }
        copy.write_all(document)?;
        copy.write_all(b"\n")?;
    }
    copy.finish()?;
    client.batch_execute("VACUUM (ANALYZE) car_entities")?;
    Ok(())
}
