//! The static table, and what entries of the dynamic one take.

/// The size of the dynamic table that both sides begin with.
pub const DEFAULT_TABLE_SIZE: usize = 4_096;
/// The bytes of each entry beside its text.
pub const ENTRY_OVERHEAD: usize = 32;

/// Names of the static table, from index 1 on.
#[rustfmt::skip]
pub const STATIC_NAMES: [&str; 61] = [
    ":authority", ":method", ":method", ":path", ":path", ":scheme", ":scheme", ":status", ":status", ":status",
    ":status", ":status", ":status", ":status", "accept-charset", "accept-encoding", "accept-language",
    "accept-ranges", "accept", "access-control-allow-origin", "age", "allow", "authorization", "cache-control",
    "content-disposition", "content-encoding", "content-language", "content-length", "content-location",
    "content-range", "content-type", "cookie", "date", "etag", "expect", "expires", "from", "host", "if-match",
    "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "last-modified", "link", "location",
    "max-forwards", "proxy-authenticate", "proxy-authorization", "range", "referer", "refresh", "retry-after",
    "server", "set-cookie", "strict-transport-security", "transfer-encoding", "user-agent", "vary", "via",
    "www-authenticate",
];

/// Statuses of the static table, from [`FIRST_STATUS`] on.
const STATIC_STATUS: [u16; 7] = [200, 204, 206, 304, 400, 404, 500];
const FIRST_STATUS: usize = 8;

/// The status at an index of the static table; None where another field stands there.
pub fn static_status(index: usize) -> Option<u16> {
    index.checked_sub(FIRST_STATUS).and_then(|at| STATIC_STATUS.get(at)).copied()
}
