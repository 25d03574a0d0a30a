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
    /// Load a target as a plan or the options specify.
    Run(Box<RunArguments>),
    /// Serve HTTP and gRPC replies at minimal cost, to measure the generator's own ceiling.
    Null(NullArguments),
    /// Compare a database with the state that it must hold after a run.
    Audit(AuditArguments),
}

#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  bakeoff-load run http://127.0.0.1:8081/health
  bakeoff-load run http://127.0.0.1:8081/items -u 64 -d 30s -b '{\"id\":\"${uuid}\",\"price\":${decimal 1.00 99.00}}'
  bakeoff-load run http://127.0.0.1:8081/items --rate 5000 --poisson -b @item.json --json
  bakeoff-load run grpc://127.0.0.1:9090/shop.Items/Create --proto shop.proto -b '{\"name\":\"${alphanumeric 8}\"}'

A body is a template: ${uuid}, ${integer MIN MAX}, ${decimal MIN MAX}, ${choice A|B}, ${alphanumeric N},
${date FROM TO}, ${timestamp}, ${user}, ${sequence} and ${run} take a new value in each request.
With --rate latency counts from the instant at which a request was due, so that a target that stalls is seen to stall.
Exit status: 0; 1 when no request succeeded; 2 when there was nothing to carry out."
)]
pub struct RunArguments {
    /// http(s)://host:port/path, or grpc(s)://host:port/package.Service/Method
    #[arg(required_unless_present = "plan", conflicts_with = "plan")]
    pub url: Option<String>,
    /// Execute this plan and write the result stream to standard output; - is standard input
    #[arg(help_heading = "With a plan", long, value_name = "FILE", conflicts_with = "ToolArguments")]
    pub plan: Option<PathBuf>,
    /// With --plan: execute part K of N, and start each phase at the instruction `go` on standard input
    #[arg(help_heading = "With a plan", long, value_name = "K/N", conflicts_with = "url", value_parser = agent::share)]
    pub agent: Option<(u32, u32)>,
    /// Threads that send requests
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::count)]
    pub threads: u32,
    #[command(flatten)]
    pub tool: ToolArguments,
}

#[derive(Debug, Args)]
pub struct ToolArguments {
    /// Virtual users, each with one request in flight (with --rate: at most)
    #[arg(short, long, value_name = "N", value_parser = units::count)]
    pub users: Option<u32>,
    /// Requests per second, independent of the target's replies (open model)
    #[arg(short, long, value_name = "N", value_parser = units::rate)]
    pub rate: Option<f64>,
    /// With --rate: Poisson arrivals instead of evenly spaced ones
    #[arg(long, requires = "rate")]
    pub poisson: bool,
    /// Duration of the load: 500ms, 30s, 5m
    #[arg(short, long, value_name = "TIME", default_value = "10s", value_parser = units::period_ms)]
    pub duration: u64,
    /// Stop after this many requests instead of after a duration
    #[arg(short = 'n', long, value_name = "N", conflicts_with_all = ["rate", "duration"], value_parser = units::count)]
    pub requests: Option<u32>,
    /// Think time: pause of a user between a reply and its next request
    #[arg(long, value_name = "TIME", default_value = "0s", conflicts_with = "rate", value_parser = units::duration_ms)]
    pub think: u64,
    /// HTTP method; POST with a body, else GET
    #[arg(short = 'X', long, value_parser = units::method)]
    pub method: Option<String>,
    /// HTTP header or gRPC metadata, `Name: value`
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    pub headers: Vec<String>,
    /// Body template, or @FILE
    #[arg(short, long, value_name = "TEMPLATE")]
    pub body: Option<String>,
    /// Without a body: send JSON of about this size, such as 4k or 65536
    #[arg(long, value_name = "SIZE", conflicts_with = "body", value_parser = units::bytes)]
    pub payload: Option<u64>,
    /// HTTP status that counts as success (default: 200)
    #[arg(long, value_name = "STATUS", value_parser = clap::value_parser!(u16).range(200..=599))]
    pub expect: Option<u16>,
    /// Fail a request that has had no reply for this long
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::period_ms)]
    pub timeout: u64,
    /// Connections that the users share (default: one for each user)
    #[arg(short, long, value_name = "N", value_parser = units::count)]
    pub connections: Option<u32>,
    /// PEM file of the certificate authorities to trust (default: the system's)
    #[arg(help_heading = "https and grpcs", long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Name that the certificate must match (default: the host)
    #[arg(help_heading = "https and grpcs", long, value_name = "NAME")]
    pub server_name: Option<String>,
    /// The service's .proto file
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
    /// Seed of the templates' random values
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Write the summary as JSON
    #[arg(long)]
    pub json: bool,
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
