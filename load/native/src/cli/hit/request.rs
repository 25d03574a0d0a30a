//! The request to the URL, checked before anything is sent.

use std::collections::BTreeMap;
use std::io::{Read as _, stdin};

use super::target::Target;
use crate::cli::arguments::HitArguments;
use crate::cli::units;
use crate::plan::{Arrival, Protocol, check_header};

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// Fixed by the engine, or meaningless for a request that is sent many times.
const OWN_HEADERS: [&str; 5] = ["connection", "content-length", "host", "te", "transfer-encoding"];
const LARGEST_BODY: u64 = 16 << 20;
const SHORTEST_MS: u64 = 100;

/// Requests to one URL. A duration or a number bounds the measured phase; a rate makes the model open, and `users` are
/// then the most requests in flight.
#[derive(Debug)]
pub struct Request {
    pub url: String,
    pub target: Target,
    pub method: String,
    /// By lower-case name.
    pub headers: BTreeMap<String, String>,
    pub body: Option<String>,
    pub users: u32,
    pub duration_ms: u64,
    pub warm_up_ms: u64,
    pub timeout_ms: u64,
    pub requests: Option<u64>,
    pub rate: Option<f64>,
    pub arrival: Arrival,
    pub connections: Option<u32>,
}

impl Request {
    /// The request that the options describe; the error says which of them cannot be used.
    pub fn new(arguments: &HitArguments) -> Result<Self, String> {
        let target = Target::parse(&arguments.url)?;
        target.check(arguments)?;
        let (duration, data) = written_out(arguments);
        let body = data.map(body_of).transpose()?;
        check_combination(arguments)?;
        let users = arguments.requests.and_then(|requests| u32::try_from(requests).ok());
        Ok(Self {
            url: arguments.url.clone(),
            method: method_of(arguments, body.is_some() || arguments.payload.is_some())?,
            headers: headers_of(arguments, target.protocol, body.is_some())?,
            target,
            body,
            users: users.map_or(arguments.users, |requests| arguments.users.min(requests)),
            duration_ms: milliseconds(duration, SHORTEST_MS)?,
            warm_up_ms: milliseconds(&arguments.warm_up, 0)?,
            timeout_ms: milliseconds(&arguments.timeout, SHORTEST_MS)?,
            requests: arguments.requests,
            rate: arguments.rate,
            arrival: arrival_of(&arguments.arrivals)?,
            connections: arguments.connections,
        })
    }
}

fn check_combination(arguments: &HitArguments) -> Result<(), String> {
    if arguments.requests.is_some() && arguments.rate.is_some() {
        return Err("-n counts requests and --rate sends for a duration: leave one of them out.".to_owned());
    }
    match arguments.connections {
        Some(count) if count > arguments.users => {
            Err(format!("--connections is {count}, and only {} --users share them.", arguments.users))
        }
        _ => Ok(()),
    }
}

/// Duration and body. wrk's -d is a duration and oha's is a body: each -d is what it looks like.
fn written_out(arguments: &HitArguments) -> (&str, Option<&str>) {
    let is_duration = |text: &str| {
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        unit.len() < text.len() && matches!(unit, "" | "ms" | "s" | "m" | "h")
    };
    let last = |wants_duration| arguments.short.iter().rfind(|text| is_duration(text) == wants_duration);
    (last(true).unwrap_or(&arguments.duration), last(false).or(arguments.data.as_ref()).map(String::as_str))
}

/// The body itself, or what the file after an @ holds, or standard input for @-.
fn body_of(data: &str) -> Result<String, String> {
    let Some(name) = data.strip_prefix('@') else { return Ok(data.to_owned()) };
    let mut content = Vec::new();
    let read = match name {
        "-" => stdin().lock().take(LARGEST_BODY + 1).read_to_end(&mut content).map(drop),
        _ => std::fs::read(name).map(|bytes| content = bytes),
    };
    read.map_err(|error| {
        let reason = error.to_string();
        format!("-d {data}: {name} cannot be read: {}.", reason.split(" (os error").next().unwrap_or(&reason))
    })?;
    if content.len() as u64 > LARGEST_BODY {
        return Err(format!("-d {data}: a body may have at most {} MiB.", LARGEST_BODY >> 20));
    }
    String::from_utf8(content)
        .map_err(|_| format!("-d {data}: {name} is not UTF-8 text, and other bodies cannot be sent."))
}

fn method_of(arguments: &HitArguments, has_body: bool) -> Result<String, String> {
    let usual = if has_body { "POST" } else { "GET" };
    let method = arguments.method.as_deref().unwrap_or(usual);
    match METHODS.iter().find(|known| known.eq_ignore_ascii_case(method)) {
        Some(known) => Ok((*known).to_owned()),
        None => Err(format!("There is no method \"{method}\". Methods: {}.", METHODS.join(", "))),
    }
}

/// Header lines such as `Accept: text/plain`; a body is JSON unless one of them says otherwise.
fn headers_of(
    arguments: &HitArguments,
    protocol: Protocol,
    has_body: bool,
) -> Result<BTreeMap<String, String>, String> {
    let usual_type = (protocol == Protocol::Http && has_body).then_some("application/json");
    let content_type = arguments.content_type.as_deref().or(usual_type);
    let mut headers: BTreeMap<_, _> =
        content_type.map(|value| ("content-type".to_owned(), value.to_owned())).into_iter().collect();
    for line in &arguments.headers {
        let (name, value) = line.split_once(':').unwrap_or_default();
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        if OWN_HEADERS.contains(&name.as_str()) {
            return Err(format!("The engine sets {name} itself: leave out -H '{line}'."));
        }
        if check_header(protocol, &name, value).is_err() {
            return Err(format!("\"{line}\" is not a header: write 'Name: value'."));
        }
        headers.insert(name, value.to_owned());
    }
    Ok(headers)
}

fn milliseconds(text: &str, shortest: u64) -> Result<u64, String> {
    units::duration_ms(text.trim()).ok().filter(|ms| *ms >= shortest).ok_or_else(|| {
        let least = if shortest > 0 { format!(", and at least {shortest}ms") } else { String::new() };
        format!("\"{text}\" is not a duration: write 500ms, 10s or 2m{least}.")
    })
}

fn arrival_of(name: &str) -> Result<Arrival, String> {
    match name {
        "constant" => Ok(Arrival::Constant),
        "poisson" => Ok(Arrival::Poisson),
        _ => Err(format!("--arrivals is \"{name}\": write constant or poisson.")),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn request(arguments: &[&str]) -> Result<Request, String> {
        let arguments = [&["bakeoff-load", "hit", "http://127.0.0.1:3000/a?b=c"], arguments].concat();
        match Cli::try_parse_from(arguments).map_err(|error| error.to_string())?.command {
            Command::Hit(arguments) => Request::new(&arguments),
            _ => unreachable!(),
        }
    }

    #[test]
    fn a_url_alone_is_a_get_by_64_users_for_10_s_after_a_warm_up() {
        let request = request(&[]).unwrap();
        assert_eq!((request.method.as_str(), request.users, request.body), ("GET", 64, None));
        assert_eq!((request.duration_ms, request.warm_up_ms, request.timeout_ms), (10_000, 1_000, 30_000));
        assert!(request.headers.is_empty());
    }

    #[test]
    fn a_body_makes_it_a_post_of_json() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "{\"a\": 1}").unwrap();
        let request = request(&["-d", "2s", "-d", &format!("@{}", file.path().display())]).unwrap();
        assert_eq!((request.method.as_str(), request.body.as_deref()), ("POST", Some("{\"a\": 1}")));
        assert_eq!((request.duration_ms, request.headers["content-type"].as_str()), (2_000, "application/json"));
    }

    #[test]
    fn each_d_is_what_it_looks_like() {
        for (text, duration_ms, body) in
            [("1.5m", 90_000, None), ("1h", 3_600_000, None), ("-5", 10_000, Some("-5")), ("s", 10_000, Some("s"))]
        {
            let request = request(&["-d", text]).unwrap();
            assert_eq!((request.duration_ms, request.body.as_deref()), (duration_ms, body), "{text}");
        }
    }

    #[test]
    fn header_names_are_lower_case_and_override_the_usual_type() {
        let headers = request(&["-d", "x", "-H", "Content-Type: text/plain", "-H", "X-A:1"]).unwrap().headers;
        assert_eq!(headers["content-type"], "text/plain");
        assert_eq!(headers["x-a"], "1");
        assert_eq!(request(&["-d", "x", "-T", "text/csv"]).unwrap().headers["content-type"], "text/csv");
    }

    #[test]
    fn few_requests_need_few_users() {
        assert_eq!(request(&["-n", "20"]).unwrap().users, 20);
        assert_eq!(request(&["-n", "5000000000"]).unwrap().users, 64);
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        for (arguments, words) in [
            (&["-m", "BREW"][..], "There is no method \"BREW\". Methods: GET, POST, PUT, PATCH, DELETE."),
            (&["-H", "no colon"], "\"no colon\" is not a header: write 'Name: value'."),
            (&["-H", "a: b\r\nc: d"], "is not a header"),
            (&["-H", "Host: other"], "The engine sets host itself: leave out -H 'Host: other'."),
            (&["-d", "@/nowhere/at/all"], "-d @/nowhere/at/all: /nowhere/at/all cannot be read: No such file"),
            (&["-n", "5", "-q", "5"], "-n counts requests and --rate sends for a duration: leave one of them out."),
            (&["--connections", "65"], "--connections is 65, and only 64 --users share them."),
            (&["--arrivals", "often"], "--arrivals is \"often\": write constant or poisson."),
            (&["-z", "soon"], "\"soon\" is not a duration: write 500ms, 10s or 2m, and at least 100ms."),
            (&["--timeout", "10ms"], "\"10ms\" is not a duration: write 500ms, 10s or 2m, and at least 100ms."),
            (&["--warm-up", "x"], "\"x\" is not a duration: write 500ms, 10s or 2m."),
        ] {
            let error = request(arguments).unwrap_err();
            assert!(error.contains(words), "{arguments:?}: {error}");
        }
        assert_eq!(request(&["--warm-up", "0"]).unwrap().warm_up_ms, 0);
    }

    #[test]
    fn a_body_that_is_not_text_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, [0xff, 0xfe, 0xfd]).unwrap();
        let error = request(&["-d", &format!("@{}", file.path().display())]).unwrap_err();
        assert!(error.ends_with("is not UTF-8 text, and other bodies cannot be sent."), "{error}");
    }
}
