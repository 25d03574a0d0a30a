//! The gateway as a process, with servers on its bus that are gone, slow, or answer what is no answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use bus::Payload;
use bus::local::{Frame, MAX_FRAME, socket_name};
use messages::{AMOUNT, STATUS, TRANS_ID};
use tempfile::TempDir;
use ubf::{Buffer, Field, kind};

const SERVICES: [&str; 4] = ["STATUS", "HELLO", "ECHO", "TRANSACTION"];
const SALE: &str =
    r#"{"transaction_type":"sale","transaction_id":"T-1","account":"ACC-9","amount":15000,"currency":"USD"}"#;

/// A gateway on a free port with a folder for its bus, killed when it is dropped.
struct Gateway {
    process: Child,
    address: SocketAddr,
    folder: TempDir,
}

impl Gateway {
    fn start(variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_transaction-gateway"));
        command.env("BUS_DIR", folder.path()).env("SERVER_PORT", "0").env("WORKERS", "1").env("NO_COLOR", "1");
        command.envs(variables.iter().copied()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let listens = lines.find(|line| line.as_ref().unwrap().contains("listens")).unwrap().unwrap();
        // Read to its end, so that the gateway never waits for room in the pipe.
        thread::spawn(move || lines.for_each(drop));
        let address = listens.split("address=").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        Self { process, address, folder }
    }

    /// Status, head and body of the reply.
    fn send(&self, method: &str, path: &str, body: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n");
        let of_body = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(format!("{head}{of_body}").as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_lowercase(), body.into())
    }

    fn sale(&self) -> (u16, String, String) {
        self.send("POST", "/api/transaction", SALE)
    }

    /// Requests in flight, and calls that wait.
    fn gauges(&self) -> (i64, i64) {
        let (status, head, text) = self.send("GET", "/metrics", "");
        assert_eq!(status, 200);
        assert!(head.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8"), "{head}");
        let value = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.strip_prefix(&format!("{name} ")));
            lines.next().unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
        };
        (value("transaction_gateway_requests_in_flight"), value("transaction_gateway_calls_waiting"))
    }

    /// The first answer that is not of a service without servers.
    fn sale_when_available(&self) -> (u16, String, String) {
        loop {
            match self.sale() {
                (503, ..) => thread::sleep(Duration::from_millis(5)),
                answer => return answer,
            }
        }
    }

    fn listener(&self) -> UnixListener {
        listener_in(self.folder.path())
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn listener_in(folder: &Path) -> UnixListener {
    let socket = folder.join(socket_name(0));
    let _ = std::fs::remove_file(&socket);
    UnixListener::bind(socket).unwrap()
}

/// Accepts a connection and says what it offers.
fn accept(listener: &UnixListener) -> UnixStream {
    let (mut stream, _) = listener.accept().unwrap();
    let mut hello = Vec::new();
    Frame::write_advertise(&SERVICES, &mut hello);
    stream.write_all(&hello).unwrap();
    stream
}

/// Reads the next call's id; None when the gateway closed the connection.
fn next_call(stream: &mut UnixStream) -> Option<u64> {
    let mut received = Vec::new();
    loop {
        if let Some((Frame::Call { id, .. }, _)) = Frame::read(&received).unwrap() {
            return Some(id);
        }
        let mut bytes = [0; 4096];
        match stream.read(&mut bytes) {
            Ok(0) | Err(_) => return None,
            Ok(read) => received.extend_from_slice(&bytes[..read]),
        }
    }
}

/// A server that answers every call with what `reply` makes of its id, on one connection after another.
fn answering(listener: UnixListener, reply: impl Fn(u64) -> Vec<u8> + Send + 'static) {
    thread::spawn(move || {
        loop {
            let mut stream = accept(&listener);
            while let Some(id) = next_call(&mut stream) {
                if stream.write_all(&reply(id)).is_err() {
                    break;
                }
            }
        }
    });
}

fn replies(result: Result<Payload, String>) -> impl Fn(u64) -> Vec<u8> {
    move |id| {
        let mut bytes = Vec::new();
        Frame::write_reply(id, &result, &mut bytes);
        bytes
    }
}

fn decision() -> Buffer {
    let mut buffer = Buffer::new();
    buffer.add(TRANS_ID, &"T-1").unwrap();
    buffer.add(STATUS, &"SUCCESS").unwrap();
    buffer.add(messages::MESSAGE, &"Done").unwrap();
    buffer
}

#[test]
fn without_servers_calls_are_refused_until_one_comes_and_again_when_it_is_gone() {
    let gateway = Gateway::start(&[]);
    let (status, head, body) = gateway.sale();
    assert_eq!(status, 503);
    assert!(head.contains("retry-after: 1"), "{head}");
    assert!(body.contains("SERVICE_UNAVAILABLE"), "{body}");
    assert_eq!(gateway.send("GET", "/", "").0, 200);

    let listener = gateway.listener();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let serving = thread::spawn(move || {
        let mut stream = accept(&listener);
        let id = next_call(&mut stream).unwrap();
        stream.write_all(&replies(Ok(Payload::ubf(decision())))(id)).unwrap();
        stopped.recv().unwrap();
    });
    assert_eq!(gateway.sale_when_available().0, 200);
    stop.send(()).unwrap();
    serving.join().unwrap();
    assert_eq!(gateway.sale().0, 503);
}

#[test]
fn a_slow_server_is_ended_by_the_deadline() {
    let gateway = Gateway::start(&[("CALL_TIMEOUT_MS", "100")]);
    let listener = gateway.listener();
    let serving = thread::spawn(move || {
        let mut stream = accept(&listener);
        while next_call(&mut stream).is_some() {}
    });
    let (status, _, body) = gateway.sale_when_available();
    assert_eq!(status, 504);
    assert!(body.contains("TIMEOUT_ERROR"), "{body}");
    assert_eq!(gateway.send("GET", "/api/status", "").0, 504);
    drop(gateway);
    serving.join().unwrap();
}

/// The calls that reach a service which never answers, as they come.
fn unanswered_calls(listener: UnixListener) -> Receiver<u64> {
    let (arrived, waiting) = channel();
    thread::spawn(move || {
        let mut stream = accept(&listener);
        while let Some(id) = next_call(&mut stream) {
            arrived.send(id).unwrap();
        }
    });
    waiting
}

#[test]
fn requests_beyond_the_limit_are_refused() {
    let gateway = Gateway::start(&[("MAX_IN_FLIGHT", "1"), ("CALL_TIMEOUT_MS", "3600000")]);
    let waiting = unanswered_calls(gateway.listener());
    thread::scope(|scope| {
        let address = gateway.address;
        // Its call is never answered: the end of the gateway ends it.
        scope.spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            // Refused at once until the server is connected.
            while stream.write_all(b"GET /api/status HTTP/1.1\r\nHost: test\r\n\r\n").is_ok() {
                if stream.read(&mut [0; 4096]).unwrap_or(0) == 0 {
                    return;
                }
            }
        });
        waiting.recv().unwrap();
        let (status, head, body) = gateway.sale();
        assert_eq!(status, 503);
        assert!(head.contains("retry-after: 1"), "{head}");
        assert!(body.contains("too many requests in flight"), "{body}");
        assert_eq!(gateway.gauges(), (1, 0), "a refused request is not in flight");
        drop(gateway);
    });
}

#[test]
fn answers_that_are_none_are_told_apart() {
    let mut wrong_type = decision();
    let status_as_number: Field<kind::Long> = Field::new(1004);
    wrong_type.remove(STATUS, 0).unwrap();
    wrong_type.add(status_as_number, &1_i64).unwrap();
    let mut lacking = Buffer::new();
    lacking.add(AMOUNT, &1_i64).unwrap();
    let whole = decision().into_bytes();
    let truncated = Payload { bytes: whole[..whole.len() - 3].to_vec(), ..Payload::ubf(decision()) };
    for (reply, expected, code) in [
        (Err("it broke".to_owned()), 502, "SERVICE_ERROR"),
        (Ok(Payload::text("no buffer")), 502, "PARSING_ERROR"),
        (Ok(truncated), 502, "PARSING_ERROR"),
        (Ok(Payload::ubf(wrong_type)), 502, "DECODING_ERROR"),
        (Ok(Payload::ubf(lacking)), 502, "DECODING_ERROR"),
        (Ok(Payload::ubf(decision())), 200, "SUCCESS"),
    ] {
        let gateway = Gateway::start(&[]);
        answering(gateway.listener(), replies(reply));
        let (status, _, body) = gateway.sale_when_available();
        assert_eq!(status, expected, "{body}");
        assert!(body.contains(code), "{body}");
        assert_eq!(gateway.send("GET", "/", "").0, 200);
    }
}

#[test]
fn bytes_that_are_no_frame_end_the_call_and_not_the_gateway() {
    let oversized = u32::try_from(MAX_FRAME + 1).unwrap().to_le_bytes().to_vec();
    for garbage in [oversized, vec![1, 0, 0, 0, 5], b"HTTP/1.1 200 OK\r\n\r\n".to_vec()] {
        let gateway = Gateway::start(&[]);
        let listener = gateway.listener();
        let serving = thread::spawn(move || {
            let mut stream = accept(&listener);
            next_call(&mut stream).unwrap();
            stream.write_all(&garbage).unwrap();
            assert_eq!(next_call(&mut stream), None, "the gateway closes the connection");
            answering(listener, replies(Ok(Payload::ubf(decision()))));
        });
        // Refused until the gateway has connected again.
        assert_eq!(gateway.sale_when_available().0, 200);
        serving.join().unwrap();
    }
}

#[test]
fn the_gauges_show_what_is_in_flight_and_what_waits() {
    for variable in [("CALLS", "serial"), ("BATCH", "10")] {
        let gateway = Gateway::start(&[variable, ("CALL_TIMEOUT_MS", "3600000")]);
        assert_eq!(gateway.gauges(), (0, 0));
        let waiting = unanswered_calls(gateway.listener());
        thread::scope(|scope| {
            for _ in 0..3 {
                let address = gateway.address;
                scope.spawn(move || sale_until_the_end(address));
            }
            // Its call is never answered: from here on the others wait.
            waiting.recv().unwrap();
            while gateway.gauges().0 < 3 {}
            assert_eq!(gateway.gauges(), (3, 2), "{variable:?}");
            drop(gateway);
        });
    }
}

/// Sends a sale again and again, as long as it is refused because no server is connected.
fn sale_until_the_end(address: SocketAddr) {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!("Content-Type: application/json\r\nContent-Length: {}", SALE.len());
    let request = format!("POST /api/transaction HTTP/1.1\r\nHost: test\r\n{head}\r\n\r\n{SALE}");
    while stream.write_all(request.as_bytes()).is_ok() && stream.read(&mut [0; 4096]).unwrap_or(0) > 0 {}
}
