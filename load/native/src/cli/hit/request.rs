//! The request to the URL, checked before anything is sent.

use std::collections::BTreeMap;
use std::io::{Read as _, stdin};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::form;
use super::target::Target;
use super::variants::{self, Variant, text_of, words};
use crate::cli::arguments::HitArguments;
use crate::cli::units;
use crate::plan::{Arrival, Protocol, check_header};
use crate::workload::MULTIPART_TYPE;

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/// Fixed by the engine, or meaningless for a request that is sent many times.
const OWN_HEADERS: [(&str, &str); 4] = [
    ("connection", "see --disable-keepalive"),
    ("content-length", "it is the body's"),
    ("te", "it is gRPC's"),
    ("transfer-encoding", "a body has a length"),
];
const LARGEST_BODY: u64 = 16 << 20;
const SHORTEST_MS: u64 = 100;

/// Requests to one server. A duration or a number bounds the measured phase; a rate makes the model open, and `users`
/// are then the most requests in flight.
#[derive(Debug)]
pub struct Request {
    pub url: String,
    pub target: Target,
    pub method: String,
    /// By lower-case name; several values are sent in their order.
    pub headers: BTreeMap<String, Vec<String>>,
    /// One, or as many as a file has lines.
    pub variants: Vec<Variant>,
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
        let (duration, data) = written_out(arguments)?;
        let body = data.map(body_of).transpose()?;
        check_combination(arguments)?;
        let body = form::body(&arguments.form)?.or(body);
        if body.as_ref().is_some_and(|body| body.len() as u64 > LARGEST_BODY) {
            return Err(format!("-F: a body may have at most {} MiB.", LARGEST_BODY >> 20));
        }
        let users = arguments.requests.and_then(|requests| u32::try_from(requests).ok());
        let has_body = body.is_some() || arguments.bodies.is_some();
        let warm_up = match (&arguments.warm_up, arguments.ramp) {
            (Some(warm_up), _) => milliseconds(warm_up, 0)?,
            (None, Some(ramp)) => ramp,
            (None, None) => {
                if arguments.requests.is_some() {
                    0
                } else {
                    1_000
                }
            }
        };
        Ok(Self {
            url: arguments.url.clone(),
            method: method_of(arguments, has_body || arguments.payload.is_some())?,
            headers: headers_of(arguments, target.protocol, has_body)?,
            variants: variants::variants(&target, body, arguments)?,
            target,
            users: users.map_or(arguments.users, |requests| arguments.users.min(requests)),
            duration_ms: milliseconds(duration, SHORTEST_MS)?,
            warm_up_ms: warm_up,
            timeout_ms: milliseconds(&arguments.timeout, SHORTEST_MS)?,
            requests: arguments.requests,
            rate: arguments.rate,
            arrival: arrival_of(arguments.arrivals.as_deref())?,
            connections: arguments.connections,
        })
    }
}

fn check_combination(arguments: &HitArguments) -> Result<(), String> {
    if arguments.requests.is_some() && arguments.rate.is_some() {
        return Err("-n counts requests and --rate sends for a duration: leave one of them out.".to_owned());
    }
    if arguments.data.is_some() && arguments.short.iter().any(|text| !is_duration(text)) {
        return Err("-d and --data are both a body: leave one of them out.".to_owned());
    }
    if !arguments.form.is_empty() && arguments.short.iter().any(|text| !is_duration(text)) {
        return Err("-d and -F are both a body: leave one of them out.".to_owned());
    }
    match arguments.connections {
        Some(count) if count > arguments.users => {
            Err(format!("--connections is {count}, and only {} --users share them.", arguments.users))
        }
        _ => Ok(()),
    }
}

fn is_duration(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    unit.len() < text.len() && matches!(unit, "" | "ms" | "s" | "m" | "h")
}

/// Duration and body. wrk's -d is a duration and oha's is a body: each -d is what it looks like.
fn written_out(arguments: &HitArguments) -> Result<(&str, Option<&str>), String> {
    let last = |wants_duration| arguments.short.iter().rfind(|text| is_duration(text) == wants_duration);
    let duration = last(true).or(arguments.duration.as_ref());
    if duration.is_some() && arguments.requests.is_some() {
        return Err("-n counts requests, and a duration ends the measurement: leave one of them out.".to_owned());
    }
    let body = last(false).or(arguments.data.as_ref());
    Ok((duration.map_or("10s", String::as_str), body.map(String::as_str)))
}

/// The body itself, or what the file after an @ holds, or standard input for @-.
fn body_of(data: &str) -> Result<Vec<u8>, String> {
    let Some(name) = data.strip_prefix('@') else { return Ok(data.as_bytes().to_vec()) };
    let mut content = Vec::new();
    let read = match name {
        "-" => stdin().lock().take(LARGEST_BODY + 1).read_to_end(&mut content).map(drop),
        _ => std::fs::read(name).map(|bytes| content = bytes),
    };
    read.map_err(|error| format!("-d {data}: {name} cannot be read: {}.", words(&error)))?;
    if content.len() as u64 > LARGEST_BODY {
        return Err(format!("-d {data}: a body may have at most {} MiB.", LARGEST_BODY >> 20));
    }
    Ok(content)
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
) -> Result<BTreeMap<String, Vec<String>>, String> {
    let mut headers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in &arguments.headers {
        let (name, value) = line.split_once(':').unwrap_or_default();
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        // A handshake of another protocol, such as WebSocket.
        let upgrades = name == "connection" && value.eq_ignore_ascii_case("upgrade") && !arguments.http2;
        let own = OWN_HEADERS.iter().find(|(known, _)| *known == name && !(upgrades && protocol == Protocol::Http));
        if let Some((name, advice)) = own {
            return Err(format!("The engine sets {name} itself ({advice}): leave out -H '{line}'."));
        }
        if protocol == Protocol::Grpc && name == "host" {
            return Err("Over gRPC --server-name sets the authority: leave out -H 'Host: …'.".to_owned());
        }
        if check_header(protocol, &name, value).is_err() {
            return Err(format!("\"{line}\" is not a header: write 'Name: value'."));
        }
        headers.entry(name).or_default().push(value.to_owned());
    }
    if headers.get("host").is_some_and(|values| values.len() > 1) {
        return Err("A request has one Host: leave out all but one -H 'Host: …'.".to_owned());
    }
    let is_form = !arguments.form.is_empty();
    if is_form && headers.contains_key("content-type") {
        return Err("-F sets the content type, which names the boundary: leave out -H 'Content-Type: …'.".to_owned());
    }
    let usual_type = if is_form { MULTIPART_TYPE } else { "application/json" };
    let usual_type = (protocol == Protocol::Http && has_body).then_some(usual_type);
    if let Some(content_type) = arguments.content_type.as_deref().or(usual_type) {
        headers.entry("content-type".to_owned()).or_insert_with(|| vec![content_type.to_owned()]);
    }
    if let Some(value) = authorization(arguments)?
        && headers.insert("authorization".to_owned(), vec![value]).is_some()
    {
        return Err("-H 'Authorization: …' and --basic or --bearer: leave one of them out.".to_owned());
    }
    Ok(headers)
}

fn authorization(arguments: &HitArguments) -> Result<Option<String>, String> {
    let secret = |option: &str, text: &str| match text.strip_prefix('@') {
        Some(path) => text_of(option, Path::new(path)).map(|text| text.trim().to_owned()),
        None => Ok(text.to_owned()),
    };
    let value = match (&arguments.basic, &arguments.bearer) {
        (Some(pair), _) => {
            let pair = secret("--basic", pair)?;
            if !pair.contains(':') {
                return Err("--basic is USER:PASSWORD.".to_owned());
            }
            format!("Basic {}", STANDARD.encode(pair))
        }
        (None, Some(token)) => format!("Bearer {}", secret("--bearer", token)?),
        (None, None) => return Ok(None),
    };
    check_header(Protocol::Http, "authorization", &value).map_err(|error| format!("--bearer: {error}."))?;
    Ok(Some(value))
}

fn milliseconds(text: &str, shortest: u64) -> Result<u64, String> {
    let longest = crate::plan::LONGEST_MS / 3_600_000;
    units::duration_ms(text.trim()).ok().filter(|ms| *ms >= shortest).ok_or_else(|| {
        let range = if shortest > 0 { format!("{shortest}ms to {longest}h") } else { format!("at most {longest}h") };
        format!("\"{text}\" is not a duration: write 500ms, 10s or 2m; {range}.")
    })
}

fn arrival_of(name: Option<&str>) -> Result<Arrival, String> {
    match name {
        None | Some("constant") => Ok(Arrival::Constant),
        Some("poisson") => Ok(Arrival::Poisson),
        Some(name) => Err(format!("--arrivals is \"{name}\": write constant or poisson.")),
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

    fn body_of(request: &Request) -> Option<&str> {
        request.variants[0].body.as_deref().map(|body| std::str::from_utf8(body).unwrap())
    }

    #[test]
    fn a_url_alone_is_a_get_by_64_users_for_10_s_after_a_warm_up() {
        let request = request(&[]).unwrap();
        assert_eq!((request.method.as_str(), request.users), ("GET", 64));
        assert_eq!(request.variants, [Variant { path: "/a?b=c".to_owned(), body: None, values: Vec::new() }]);
        assert_eq!((request.duration_ms, request.warm_up_ms, request.timeout_ms), (10_000, 1_000, 30_000));
        assert!(request.headers.is_empty());
    }

    #[test]
    fn a_body_makes_it_a_post_of_json() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "{\"a\": 1}").unwrap();
        let request = request(&["-d", "2s", "-d", &format!("@{}", file.path().display())]).unwrap();
        assert_eq!((request.method.as_str(), body_of(&request)), ("POST", Some("{\"a\": 1}")));
        assert_eq!((request.duration_ms, &request.headers["content-type"][0]), (2_000, &"application/json".to_owned()));
    }

    #[test]
    fn parts_of_a_form_are_sent_as_curl_sends_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        std::fs::write(&path, [0xff, 0x00]).unwrap();
        let at = path.display();
        let (file, other) = (format!("f=@{at}"), format!("f=@{at};type=a/b;filename=\"b\""));
        let request = request(&["-F", "t=x=y", "-F", &file, "-F", "j={};type=application/json", "-F", &other]).unwrap();
        let part = |head: &str, content: &[u8]| {
            let head = format!("--bakeoff-0b7f3c5e9d1a2468\r\nContent-Disposition: form-data; name={head}\r\n\r\n");
            [head.as_bytes(), content, b"\r\n"].concat()
        };
        let parts = [
            part("\"t\"", b"x=y"),
            part("\"f\"; filename=\"a.png\"\r\nContent-Type: image/png", b"\xff\0"),
            part("\"f\"; filename=\"%22b%22\"\r\nContent-Type: a/b", b"\xff\0"),
            part("\"j\"\r\nContent-Type: application/json", b"{}"),
            b"--bakeoff-0b7f3c5e9d1a2468--\r\n".to_vec(),
        ];
        assert_eq!(request.variants[0].body.as_deref(), Some(&parts.concat()[..]));
        assert_eq!(
            (request.method.as_str(), &request.headers["content-type"][0][..]),
            ("POST", "multipart/form-data; boundary=bakeoff-0b7f3c5e9d1a2468")
        );
    }

    #[test]
    fn each_d_is_what_it_looks_like() {
        for (text, duration_ms, body) in
            [("1.5m", 90_000, None), ("1h", 3_600_000, None), ("-5", 10_000, Some("-5")), ("s", 10_000, Some("s"))]
        {
            let request = request(&["-d", text]).unwrap();
            assert_eq!((request.duration_ms, body_of(&request)), (duration_ms, body), "{text}");
        }
    }

    #[test]
    fn header_names_are_lower_case_and_override_the_usual_type() {
        let headers = request(&["-d", "x", "-H", "Content-Type: text/plain", "-H", "X-A:1"]).unwrap().headers;
        assert_eq!(headers["content-type"], ["text/plain"]);
        assert_eq!(headers["x-a"], ["1"]);
        assert_eq!(request(&["-d", "x", "-T", "text/csv"]).unwrap().headers["content-type"], ["text/csv"]);
        let headers = request(&["-H", "X-A: 2", "-H", "x-a: 1", "--basic", "me:secret"]).unwrap().headers;
        assert_eq!(
            (&headers["x-a"][..], &headers["authorization"][0]),
            (&["2".to_owned(), "1".to_owned()][..], &"Basic bWU6c2VjcmV0".to_owned())
        );
    }

    #[test]
    fn few_requests_need_few_users() {
        assert_eq!(request(&["-n", "20"]).unwrap().users, 20);
        assert_eq!(request(&["-n", "5000000000"]).unwrap().users, 64);
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        for (arguments, words) in [
            (
                &["-m", "BREW"][..],
                "There is no method \"BREW\". Methods: GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS.",
            ),
            (&["-H", "no colon"], "\"no colon\" is not a header: write 'Name: value'."),
            (&["-H", "a: b\r\nc: d"], "is not a header"),
            (&["-H", "TE: x"], "The engine sets te itself (it is gRPC's): leave out -H 'TE: x'."),
            (&["-H", "Host: a", "-H", "host: b"], "A request has one Host"),
            (
                &["-n", "5", "-d", "5s"],
                "-n counts requests, and a duration ends the measurement: leave one of them out.",
            ),
            (&["-n", "1e20"], "must be a whole number from 1 to 1000000000000"),
            (&["-q", "inf"], "must be a number from 0.1 to 1000000"),
            (&["-q", "1e9"], "must be a number from 0.1 to 1000000"),
            (&["-q", "nan"], "must be a number from 0.1 to 1000000"),
            (&["-z", "99999999999h"], "500ms, 10s or 2m; 100ms to 168h."),
            (&["--ramp", "99999999999h"], "must be at most 168h"),
            (&["--threads", "257"], "must be 1 to 256"),
            (&["-u", "0"], "1..=100000"),
            (&["--arrivals", "poisson"], "--rate"),
            (&["--basic", "me"], "--basic is USER:PASSWORD."),
            (&["--bearer", "a", "-H", "Authorization: b"], "leave one of them out"),
            (&["-d", "@/nowhere/at/all"], "-d @/nowhere/at/all: /nowhere/at/all cannot be read: No such file"),
            (&["-F", "x"], "-F x: write NAME=VALUE, NAME=@FILE or"),
            (&["-F", "x=@/nowhere/at/all"], "/nowhere/at/all cannot be read: No such file"),
            (&["-F", "x=@/dev/null;kind=a"], "\"kind=a\" is no setting of a file"),
            (&["-F", "x=y;type="], "-F: a type has letters"),
            (&["-F", "x=y", "-d", "z"], "-d and -F are both a body"),
            (&["-F", "x=y", "-T", "a/b"], "cannot be used with"),
            (&["-F", "x=y", "-H", "content-type: a/b"], "-F sets the content type"),
            (&["-q=-1", "-n", "5"], "must be a number from"),
            (&["-n", "5", "-q", "5"], "-n counts requests and --rate sends for a duration: leave one of them out."),
            (&["--connections", "65"], "--connections is 65, and only 64 --users share them."),
            (&["--rate", "5", "--arrivals", "often"], "--arrivals is \"often\": write constant or poisson."),
            (&["-z", "soon"], "\"soon\" is not a duration: write 500ms, 10s or 2m; 100ms to 168h."),
            (&["--timeout", "10ms"], "\"10ms\" is not a duration: write 500ms, 10s or 2m; 100ms to 168h."),
            (&["--warm-up", "x"], "\"x\" is not a duration: write 500ms, 10s or 2m; at most 168h."),
        ] {
            let error = request(arguments).unwrap_err();
            assert!(error.contains(words), "{arguments:?}: {error}");
        }
        assert_eq!(request(&["--warm-up", "0"]).unwrap().warm_up_ms, 0);
    }

    #[test]
    fn a_column_that_the_rows_do_not_have_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "id,name\n1,a\n").unwrap();
        let path = file.path().display().to_string();
        for unknown in [&["-d", "{\"a\": \"${nmae}\"}"][..], &["-H", "x: ${nmae}"]] {
            let error = request(&[&["--csv", &path], unknown].concat()).unwrap_err();
            assert!(error.ends_with("it has no column \"nmae\"; columns: id, name."), "{error}");
        }
        for known in [&["-d", "${name} ${} $ {nmae} ${\"nmae\"}"][..], &["-d", "${uuid}", "--slots"]] {
            assert!(request(&[&["--csv", &path], known].concat()).is_ok(), "{known:?}");
        }
    }

    #[test]
    fn a_slot_that_no_option_fills_is_named() {
        let unfilled = |arguments: &[&str]| {
            let arguments = [&["bakeoff-load", "hit", "http://127.0.0.1:3000/"], arguments].concat();
            let Command::Hit(arguments) = Cli::try_parse_from(arguments).unwrap().command else { unreachable!() };
            variants::unfilled(&Request::new(&arguments).unwrap().variants[0], &arguments)
        };
        assert_eq!(unfilled(&["-d", "${name} ${uuid}"]).unwrap(), "${uuid} is sent as it is: --slots fills it.");
        assert_eq!(unfilled(&["-d", "${integer 1 5}"]).unwrap(), "${integer 1 5} is sent as it is: --slots fills it.");
        assert_eq!(unfilled(&["-d", "${uuid}", "--slots"]), None);
        assert_eq!(unfilled(&["-d", "${name}"]), None);
    }

    #[test]
    fn a_body_may_be_any_bytes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, [0xff, 0xfe, 0xfd]).unwrap();
        let request = request(&["-d", &format!("@{}", file.path().display())]).unwrap();
        assert_eq!(request.variants[0].body.as_deref(), Some(&[0xff, 0xfe, 0xfd][..]));
    }
}
