//! Users, what changes them, and pages of them.

/// A stored user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Assigned in ascending order, never used again.
    pub id: i64,
    /// 3 to 100 characters.
    pub name: String,
    /// No other user has it.
    pub email: String,
}

/// An update: an absent field keeps its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The new name.
    pub name: Option<String>,
    /// The new e-mail address.
    pub email: Option<String>,
}

/// A page of the users that match a text; every user matches an empty one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Part of a name or of an e-mail address, with letters A to Z in lower case.
    pub text: String,
    /// From 1.
    pub page: i64,
    /// Users of a page, 1 to 100.
    pub limit: i64,
}

impl Query {
    /// How many users come before the page, or a number that no store reaches where that overflows.
    #[must_use]
    pub fn offset(&self) -> i64 {
        const MOST: i64 = 1 << 60;
        (self.page - 1).checked_mul(self.limit).map_or(MOST, |offset| offset.min(MOST))
    }

    /// How many pages there are of so many users.
    #[must_use]
    pub fn pages(&self, total: i64) -> i64 {
        (total + self.limit - 1) / self.limit
    }

    /// Whether a user matches: bytes of UTF-8 are compared, so that a match begins and ends between characters.
    #[must_use]
    pub fn matches(&self, user: &User) -> bool {
        contains(&user.name, &self.text) || contains(&user.email, &self.text)
    }
}

fn contains(text: &str, part: &str) -> bool {
    part.is_empty() || text.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// The users of one page in order of their ids, and how many match in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// In order of their ids.
    pub users: Vec<User>,
    /// All users that match, exactly.
    pub total: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str, page: i64, limit: i64) -> Query {
        Query { text: text.to_owned(), page, limit }
    }

    #[test]
    fn the_offset_of_the_last_possible_page_does_not_overflow() {
        assert_eq!(query("", 1, 100).offset(), 0);
        assert_eq!(query("", 3, 10).offset(), 20);
        assert_eq!(query("", i64::MAX, 100).offset(), 1 << 60);
        assert_eq!(query("", i64::MAX, 1).offset(), 1 << 60);
    }

    #[test]
    fn pages_are_rounded_up() {
        for (total, pages) in [(0, 0), (1, 1), (10, 1), (11, 2)] {
            assert_eq!(query("", 1, 10).pages(total), pages);
        }
    }

    #[test]
    fn only_letters_of_ascii_match_in_either_case() {
        let user = User { id: 1, name: "Zoë ÉCOLE".to_owned(), email: "zoe@Example.org".to_owned() };
        for (text, matches) in [("", true), ("zo", true), ("école", false), ("COLE", true)] {
            assert_eq!(query(&text.to_ascii_lowercase(), 1, 10).matches(&user), matches, "{text}");
        }
        assert!(query("example", 1, 10).matches(&user));
        assert!(!query("coleexample", 1, 10).matches(&user));
    }
}
