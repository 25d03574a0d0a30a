//! The bearer token that requests must carry, if one is set.

use std::fmt;
use std::sync::Arc;

use subtle::ConstantTimeEq;

use crate::error::Error;

const MAX_CHARACTERS: usize = 256;
const SCHEME: &[u8] = b"Bearer ";

/// A bearer token, the same for all requests.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Arc<str>);

impl Token {
    /// A token of 1 to 256 visible ASCII characters.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let usable = (1..=MAX_CHARACTERS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        usable.then(|| Self(text.into()))
    }

    /// Refuses a request unless its `authorization` header is this token.
    pub fn check(&self, authorization: Option<&[u8]>) -> Result<(), Error> {
        if authorization.is_some_and(|value| self.is_in(value)) { Ok(()) } else { Err(Error::unauthenticated()) }
    }

    fn is_in(&self, authorization: &[u8]) -> bool {
        let Some((scheme, given)) = authorization.split_at_checked(SCHEME.len()) else {
            return false;
        };
        // A comparison that stops at the first difference would reveal how much of a guess is right.
        scheme.eq_ignore_ascii_case(SCHEME) && bool::from(given.ct_eq(self.0.as_bytes()))
    }
}

/// A secret: no log shows it.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_and_invalid_tokens() {
        for text in ["a", "!~", &"x".repeat(256)] {
            assert!(Token::new(text).is_some(), "{text}");
        }
        for text in ["", "a b", "a\n", "é", &"x".repeat(257)] {
            assert!(Token::new(text).is_none(), "{text}");
        }
    }

    #[test]
    fn only_the_whole_token_after_its_scheme_is_accepted() {
        let token = Token::new("secret").expect("usable");
        for right in ["Bearer secret", "bearer secret"] {
            assert_eq!(token.check(Some(right.as_bytes())), Ok(()), "{right}");
        }
        for wrong in
            ["", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Bearer Secret", "Basic secret"]
        {
            assert_eq!(token.check(Some(wrong.as_bytes())), Err(Error::unauthenticated()), "{wrong}");
        }
        assert_eq!(token.check(None), Err(Error::unauthenticated()));
    }

    #[test]
    fn a_token_is_not_shown() {
        assert_eq!(format!("{:?}", Token::new("secret")), "Some(Token)");
    }
}
