//! The null server: the same reply to every request at minimal cost, over HTTP/1.1 and gRPC on one port. With a
//! certificate it serves TLS.

mod client;
mod delay;
mod grpc;
mod http;
mod server;
mod tls;

pub use delay::Delay;
pub use server::Server;
pub use tls::server_config;
