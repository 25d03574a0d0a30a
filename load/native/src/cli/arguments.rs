//! The commands and their options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::{agent, units};

/// A load generator for HTTP/1.1 and gRPC that measures from the instant at which each request was due.
#[derive(Debug, Parser)]
#[command(name = "bakeoff-load", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Execute a plan.
    Run(RunArguments),
    /// Measure one URL.
    Hit(Box<HitArguments>),
    /// Send single requests: JSON lines from standard input, a JSON line for each reply.
    Request,
    /// Check a plan without sending anything, and print a sample of each operation as JSON.
    Check(CheckArguments),
    /// Serve HTTP and gRPC replies at minimal cost, to measure the generator's own ceiling.
    Null(NullArguments),
    /// Compare a database with the state that it must hold after a run.
    Audit(AuditArguments),
}

#[derive(Debug, Args)]
pub struct RunArguments {
    /// The plan, whose result stream goes to standard output; - is standard input
    #[arg(long, value_name = "FILE")]
    pub plan: PathBuf,
    /// Execute part K of N, and start each phase at the instruction `go` on standard input
    #[arg(long, value_name = "K/N", value_parser = agent::share)]
    pub agent: Option<(u32, u32)>,
    /// Threads that send requests
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::threads)]
    pub threads: u32,
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The plan; - is standard input
    #[arg(long, value_name = "FILE")]
    pub plan: PathBuf,
}

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  bakeoff-load hit http://127.0.0.1:3000/path -u 64 -d 10s
  bakeoff-load hit http://127.0.0.1:3000/items -d '{\"price\": 5}' --rate 5000 --arrivals poisson
  bakeoff-load hit http://127.0.0.1:3000/items --slots -d '{\"id\":\"${uuid}\",\"price\":${decimal 1.00 99.00}}'
  bakeoff-load hit grpc://127.0.0.1:9090/shop.Items/Create -d '{\"name\":\"a\"}'

With --slots ${uuid}, ${integer MIN MAX}, ${decimal MIN MAX}, ${choice A|B}, ${alphanumeric N}, ${date FROM TO},
${timestamp}, ${user}, ${sequence} and ${run} take a new value in each request.
With --rate latency counts from the instant at which a request was due, so that a target that stalls is seen to stall.
Exit status: 0; 1 when no request had a good reply; 2 when the options are invalid; 128 and the signal when interrupted."
)]
pub struct HitArguments {
    /// URL, such as http://127.0.0.1:3000/path or grpc://127.0.0.1:9090/package.Service/Method
    pub url: String,
    /// Virtual users, each with one request in flight (with --rate: at most)
    #[arg(short, long, visible_short_alias = 'c', value_name = "N", default_value_t = 64)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub users: u32,
    /// A duration such as 10s sets --duration; anything else sets --data
    #[arg(short = 'd', value_name = "TIME|BODY", allow_hyphen_values = true)]
    pub short: Vec<String>,
    /// Duration of the measurement, such as 10s or 2m (default: 10s)
    #[arg(short = 'z', long, value_name = "TIME", conflicts_with = "requests")]
    pub duration: Option<String>,
    /// Number of requests, instead of a duration
    #[arg(short = 'n', long, value_name = "N", value_parser = units::requests)]
    pub requests: Option<u64>,
    /// Open model: requests per second
    #[arg(short = 'q', long, value_name = "N", value_parser = units::rate)]
    pub rate: Option<f64>,
    /// With --rate: distribution of arrivals, constant or poisson (default: constant)
    #[arg(long, value_name = "NAME", requires = "rate")]
    pub arrivals: Option<String>,
    /// HTTP method (default: GET, or POST with a body)
    #[arg(short, visible_short_alias = 'X', long)]
    pub method: Option<String>,
    /// HTTP header or gRPC metadata, as 'Name: value'; may be repeated
    #[arg(short = 'H', long = "header", value_name = "HEADER", allow_hyphen_values = true)]
    pub headers: Vec<String>,
    /// Body, @FILE, or @- for standard input
    #[arg(long, value_name = "BODY", allow_hyphen_values = true)]
    pub data: Option<String>,
    /// Part of a multipart form as curl has it: NAME=VALUE, NAME=@FILE[;type=TYPE][;filename=NAME]; may be repeated
    #[arg(short = 'F', long, value_name = "PART", conflicts_with_all = ["data", "payload", "bodies", "content_type"])]
    pub form: Vec<String>,
    /// Content type of the body (default: application/json)
    #[arg(short = 'T', long = "type", value_name = "TYPE")]
    pub content_type: Option<String>,
    /// Basic authentication, or its file after an @
    #[arg(long, value_name = "USER:PASSWORD")]
    pub basic: Option<String>,
    /// Bearer token, or its file after an @
    #[arg(long, value_name = "TOKEN", conflicts_with = "basic")]
    pub bearer: Option<String>,
    /// Open a connection for each request
    #[arg(long)]
    pub disable_keepalive: bool,
    /// HTTP/2: by ALPN with https, with prior knowledge with http
    #[arg(long, conflicts_with = "disable_keepalive")]
    pub http2: bool,
    /// Connect to this address for the URL's host and port, as curl does
    #[arg(long, value_name = "HOST:PORT:ADDRESS")]
    pub resolve: Vec<String>,
    /// Connect to this Unix socket
    #[arg(long, value_name = "PATH", conflicts_with = "resolve")]
    pub unix_socket: Option<PathBuf>,
    /// Send a random line of this file as the body of each request
    #[arg(help_heading = "Templates", long, value_name = "FILE", conflicts_with_all = ["data", "payload"])]
    pub bodies: Option<PathBuf>,
    /// Send each request to a random line of this file: URLs or paths of the same server
    #[arg(help_heading = "Templates", long, value_name = "FILE")]
    pub urls: Option<PathBuf>,
    /// Fill ${column} in path, headers and body from a random row of this CSV file with a head
    #[arg(help_heading = "Templates", long, value_name = "FILE", conflicts_with_all = ["bodies", "urls"])]
    pub csv: Option<PathBuf>,
    /// Connections that the virtual users share (default: one each)
    #[arg(long, value_name = "N", value_parser = units::count)]
    pub connections: Option<u32>,
    /// Timeout of a request
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: String,
    /// Duration of the warm-up, which is not counted (default: 1s; none with --requests)
    #[arg(long, value_name = "TIME")]
    pub warm_up: Option<String>,
    /// Raise the load in ten steps during this time before the measurement, instead of the warm-up
    #[arg(long, value_name = "TIME", conflicts_with = "warm_up", value_parser = units::duration_ms)]
    pub ramp: Option<u64>,
    /// Expected status (default: that of a first request)
    #[arg(long, value_name = "STATUS", value_parser = clap::value_parser!(u16).range(100..=599))]
    pub expect: Option<u16>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Print the text format of Prometheus
    #[arg(long, conflicts_with = "json")]
    pub prometheus: bool,
    /// Write the JSON to this file too
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Do not measure the generator's own limit
    #[arg(long)]
    pub no_capacity: bool,
    /// Threads that send requests
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::threads)]
    pub threads: u32,
    /// Think time: pause of a user between a reply and its next request
    #[arg(long, value_name = "TIME", default_value = "0s", conflicts_with = "rate", value_parser = units::duration_ms)]
    pub think: u64,
    /// CA certificates to trust, or the server's own (default: the system's)
    #[arg(help_heading = "https and grpcs", long, visible_alias = "cacert", value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Accept any certificate
    #[arg(help_heading = "https and grpcs", short = 'k', long)]
    pub insecure: bool,
    /// The client's own certificate, with its chain
    #[arg(help_heading = "https and grpcs", long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,
    /// The private key of --cert
    #[arg(help_heading = "https and grpcs", long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
    /// Name that the certificate must match (default: the host)
    #[arg(help_heading = "https and grpcs", long, value_name = "NAME")]
    pub server_name: Option<String>,
    /// Fill slots such as ${uuid} in path and body
    #[arg(help_heading = "Templates", long)]
    pub slots: bool,
    /// Without a body: send JSON of about this size, such as 4k or 65536
    #[arg(help_heading = "Templates", long, value_name = "SIZE", conflicts_with_all = ["data", "short"])]
    #[arg(value_parser = units::bytes)]
    pub payload: Option<u64>,
    /// Seed of the slots' random values
    #[arg(help_heading = "Templates", long, default_value_t = 1)]
    pub seed: u64,
    /// The service's .proto file; without it the server is asked, by reflection
    #[arg(help_heading = "gRPC", long, value_name = "FILE")]
    pub proto: Option<PathBuf>,
    /// Folder in which imports are found (default: the file's folder)
    #[arg(help_heading = "gRPC", long, value_name = "FOLDER", requires = "proto")]
    pub import_path: Option<PathBuf>,
    /// FileDescriptorSet of the service, instead of --proto
    #[arg(help_heading = "gRPC", long, value_name = "FILE", conflicts_with = "proto")]
    pub descriptor_set: Option<PathBuf>,
    /// Send every request as a message on one bidirectional stream per connection
    #[arg(help_heading = "gRPC", long)]
    pub stream: bool,
    /// With --stream: messages that a user has in flight
    #[arg(help_heading = "gRPC", long, value_name = "N", default_value = "1", requires = "stream")]
    #[arg(value_parser = units::window)]
    pub window: u32,
}

#[derive(Debug, Args)]
pub struct NullArguments {
    /// Address to listen on; port 0 selects a free port
    #[arg(long, default_value = "127.0.0.1:0")]
    pub listen: String,
    /// Body of HTTP replies
    #[arg(long, default_value = "{}")]
    pub http_reply: String,
    /// Encoded message of gRPC replies, in hexadecimal
    #[arg(long, default_value = "", value_parser = units::hexadecimal)]
    pub grpc_reply: units::Bytes,
    /// Serve TLS with this certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key", env = "TLS_CERT_FILE")]
    pub tls_cert: Option<PathBuf>,
    /// The certificate's private key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert", env = "TLS_KEY_FILE")]
    pub tls_key: Option<PathBuf>,
    /// Delay of each reply
    #[arg(long, default_value = "0ms", value_parser = units::duration_ms)]
    pub delay: u64,
    /// Delay one of this many replies by --slow-delay instead; 0 disables it
    #[arg(long, default_value_t = 0, requires = "slow_delay")]
    pub slow_every: u32,
    /// Delay of a slow reply
    #[arg(long, default_value = "0ms", value_parser = units::duration_ms)]
    pub slow_delay: u64,
    /// End with the process that started this one
    #[arg(long, hide = true)]
    pub with_parent: bool,
}

#[derive(Debug, Args)]
pub struct AuditArguments {
    /// The plan of the run
    #[arg(long, value_name = "FILE")]
    pub plan: PathBuf,
    /// The ledger of the run, or the folder that holds the ledgers of all its engines
    #[arg(long, value_name = "FILE")]
    pub ledger: PathBuf,
    /// The database to audit
    #[arg(long, value_name = "URL", requires = "audit_sql", env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// File with a query that returns the whole stored state as (key text[], document jsonb)
    #[arg(long, value_name = "FILE")]
    pub audit_sql: Option<PathBuf>,
    /// Read JSON lines {"key":[…],"document":…} instead of a database; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["database_url", "audit_sql"])]
    pub rows: Option<PathBuf>,
    /// Ask the target itself, with these operations of the plan, which read stored documents
    #[arg(long, value_name = "OPERATION,...", value_delimiter = ',', conflicts_with_all = ["audit_sql", "rows"])]
    pub through: Vec<String>,
    /// Entities that --through reads at most: a random sample of more
    #[arg(long, value_name = "N", requires = "through", value_parser = clap::value_parser!(u32).range(1..))]
    pub most: Option<u32>,
    /// Number of examples of each kind of violation in the verdict
    #[arg(long, default_value_t = 10)]
    pub examples: usize,
}
