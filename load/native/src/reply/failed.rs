//! The first reply of an operation that failed, fit to be shown and stored.

use std::sync::Arc;

use crate::mismatch::{hide, is_secret, shown_content};
use crate::plan::Plan;
use crate::wire::Code;
use crate::wire::http1::header;

const LONGEST_BYTES: usize = 200;
/// Shorter secrets, such as the number of a user, also occur in words.
const TELLING_BYTES: usize = 4;

/// A reply with another status or another content than expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedReply {
    /// The expected statuses, and the one received.
    pub expected: String,
    pub received: String,
    /// How its content begins; of a gRPC call its status message.
    pub content: String,
}

impl FailedReply {
    pub(super) fn of<'a>(
        accepted: &[Code],
        code: Code,
        content: &[u8],
        secrets: impl Iterator<Item = &'a str>,
    ) -> Self {
        let expected: Vec<_> = accepted.iter().map(|code| code.name()).collect();
        let mut content = shown_content(content);
        for secret in secrets {
            hide(&mut content, &format!("\"{secret}\""));
            if secret.len() >= TELLING_BYTES {
                hide(&mut content, secret);
            }
        }
        Self { expected: expected.join(" or "), received: code.name().into_owned(), content: cut(content) }
    }
}

/// The headers of a plan with names of secrets: their values, and the part of each after its scheme.
pub fn constant_secrets(plan: &Plan) -> Arc<[Box<str>]> {
    let own = plan.operations.iter().filter_map(|operation| operation.http.as_ref()).flat_map(|call| &call.headers);
    let own = own.flat_map(|(name, values)| values.as_slice().iter().map(move |value| (name, value)));
    let secret = plan.transport.headers.iter().chain(own).filter(|(name, _)| is_secret(name));
    let parts = |(_, value): (_, &String)| [value.as_str().into(), value.rsplit(' ').next().unwrap_or_default().into()];
    secret.flat_map(parts).collect()
}

/// What a gRPC server says of a call that failed.
pub fn status_message(head: &[u8]) -> Vec<u8> {
    header(head, "grpc-message").map(percent_decoded).unwrap_or_default()
}

fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let (mut decoded, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    decoded
}

fn cut(mut text: String) -> String {
    if text.len() > LONGEST_BYTES {
        text.truncate(text.floor_char_boundary(LONGEST_BYTES));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::{Format, ReplyRules, Thoroughness};
    use crate::wire::Reply;
    use crate::workload::UserState;

    fn shown(code: Code, head: &[u8], body: &[u8], secrets: &[&str]) -> FailedReply {
        let accepted = vec![Code::Http(201), Code::Http(200)];
        let rules = ReplyRules::new(accepted, Format::Json, Thoroughness::Sampled, 1.0);
        let rules = rules.with_secrets(secrets.iter().map(|secret| (*secret).into()).collect());
        let reply = Reply { tag: 0, outcome: Ok(code), head, body };
        rules.failed_reply(code, &reply, &UserState::default())
    }

    #[test]
    fn statuses_and_the_first_bytes_are_kept() {
        let found = shown(Code::Http(422), b"", &[b"na\xc3\xafve ".as_slice(), &[b'x'; 300]].concat(), &[]);
        assert_eq!((&*found.expected, &*found.received), ("201 or 200", "422"));
        assert!(found.content.starts_with("naïve xxx") && found.content.ends_with('…'));
        assert_eq!(found.content.len(), LONGEST_BYTES + '…'.len_utf8());
        assert_eq!(cut("ü".repeat(101)), format!("{}…", "ü".repeat(100)), "no character is cut");
    }

    #[test]
    fn secrets_are_hidden_by_name_and_by_value() {
        let body = br#"{"at":"17:07","error":"no user for t-123","id":"7","password":"hunter2"}"#;
        let found = shown(Code::Http(500), b"", body, &["Bearer t-123", "t-123", "7"]);
        assert_eq!(found.content, r#"{"at":"17:07","error":"no user for ***","id":***,"password":"***"}"#);
    }

    #[test]
    fn a_failed_call_shows_its_message() {
        let head = b"HTTP/2\r\ngrpc-message: 100%25 caf%C3%A9 %zz\r\n\r\n";
        let found = shown(Code::Grpc(12), head, b"", &[]);
        assert_eq!((&*found.received, &*found.content), ("UNIMPLEMENTED", "100% café %zz"));
        assert_eq!(shown(Code::Grpc(13), b"", b"", &[]).content, "");
    }
}
