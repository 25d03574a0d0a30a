//! The contract's rules. Each check reports the first one that is broken.

use std::sync::LazyLock;

use regex::Regex;

use crate::error::Error;
use crate::user::{Change, Query};

const NAME_CHARACTERS: std::ops::RangeInclusive<usize> = 3..=100;
const EMAIL_BYTES: usize = 254;
const QUERY_CHARACTERS: usize = 100;
const LIMITS: std::ops::RangeInclusive<i64> = 1..=100;
const DEFAULT_LIMIT: i64 = 10;

/// The expression that the HTML standard gives for e-mail addresses.
static EMAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\A[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?",
        r"(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\z"
    ))
    .ok()
});

/// The rules of a new user.
pub fn check_new(name: &str, email: &str) -> Result<(), Error> {
    check_name(name)?;
    check_email(email)
}

/// The rules of a change.
pub fn check_change(id: i64, change: &Change) -> Result<(), Error> {
    check_id(id)?;
    change.name.as_deref().map_or(Ok(()), check_name)?;
    change.email.as_deref().map_or(Ok(()), check_email)
}

/// The rule of an id.
pub fn check_id(id: i64) -> Result<(), Error> {
    if id < 1 { Err(Error::Invalid { field: "id", rule: "must be at least 1" }) } else { Ok(()) }
}

/// The query of a request, whose page and limit may be absent.
pub fn query(text: &str, page: Option<i64>, limit: Option<i64>) -> Result<Query, Error> {
    if text.chars().nth(QUERY_CHARACTERS).is_some() {
        return Err(Error::Invalid { field: "query", rule: "must have at most 100 characters" });
    }
    if text.contains('\0') {
        return Err(Error::Invalid { field: "query", rule: r"contains \u0000" });
    }
    let (page, limit) = (page.unwrap_or(1), limit.unwrap_or(DEFAULT_LIMIT));
    if page < 1 {
        return Err(Error::Invalid { field: "page", rule: "must be at least 1" });
    }
    if !LIMITS.contains(&limit) {
        return Err(Error::Invalid { field: "limit", rule: "must be from 1 to 100" });
    }
    Ok(Query { text: text.to_ascii_lowercase(), page, limit })
}

fn check_name(name: &str) -> Result<(), Error> {
    // A long text is not counted to its end.
    if !NAME_CHARACTERS.contains(&name.chars().take(NAME_CHARACTERS.end() + 1).count()) {
        return Err(Error::Invalid { field: "name", rule: "must have 3 to 100 characters" });
    }
    if name.contains('\0') {
        return Err(Error::Invalid { field: "name", rule: r"contains \u0000, which cannot be stored" });
    }
    Ok(())
}

fn check_email(address: &str) -> Result<(), Error> {
    let is_address = address.len() <= EMAIL_BYTES && EMAIL.as_ref().is_some_and(|email| email.is_match(address));
    if is_address {
        return Ok(());
    }
    Err(Error::Invalid { field: "email", rule: "must be an e-mail address of at most 254 characters" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for address in ["a@b", "ada+tag@example.org", "a.b!#$%&'*+/=?^_`{|}~-@x-1.example"] {
            assert_eq!(check_email(address), Ok(()), "{address}");
        }
        for other in ["", "ada", "@example.org", "ada@", "ada@-a.org", "ada@a-.org", "ada@a..b", "ada@a.org\n"] {
            assert!(check_email(other).is_err(), "{other:?}");
        }
        let longest = format!("{}@example.org", "a".repeat(242));
        assert_eq!(check_email(&longest), Ok(()));
        assert!(check_email(&format!("a{longest}")).is_err());
    }

    #[test]
    fn names_are_counted_in_characters() {
        for name in ["éé\u{1f600}", &"é".repeat(100)] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for other in ["éé", &"é".repeat(101), "Ada\0"] {
            assert!(check_name(other).is_err(), "{other}");
        }
    }

    #[test]
    fn queries() {
        let query = |page, limit| query("Ada", page, limit).map(|query| (query.text, query.page, query.limit));
        assert_eq!(query(None, None), Ok(("ada".to_owned(), 1, 10)));
        assert_eq!(query(Some(i64::MAX), Some(100)), Ok(("ada".to_owned(), i64::MAX, 100)));
        for (page, limit) in [(Some(0), None), (None, Some(0)), (None, Some(101)), (Some(i64::MIN), Some(1))] {
            assert!(query(page, limit).is_err());
        }
        assert!(super::query(&"é".repeat(100), None, None).is_ok());
        assert!(super::query(&"é".repeat(101), None, None).is_err());
        assert!(super::query("a\0", None, None).is_err());
    }
}
