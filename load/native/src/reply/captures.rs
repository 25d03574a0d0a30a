//! Where captured values come from, and which may be captured.

/// Captured values go into paths and headers, whose length is bounded.
const LONGEST_CAPTURED: usize = 4 * 1024;
/// Where a captured value comes from.
#[derive(Debug)]
pub(super) enum Place {
    /// A JSON pointer into the content.
    Content(String),
    /// A list in the content, and a JSON pointer into each of its items.
    Each(String, String),
    Header(String),
    /// The part of a header after its last slash, such as the id in a Location.
    HeaderEnd(String),
    /// A parameter in the query of the URL at a place.
    Parameter(String, Box<Place>),
    /// What may be absent: it is empty then.
    Optional(Box<Place>),
}

/// Whether a place of a workload is in a reply's headers.
#[must_use]
pub fn is_in_headers(place: &str) -> bool {
    matches!(Place::parse(place).innermost(), Place::Header(_) | Place::HeaderEnd(_))
}

impl Place {
    /// As the workload writes it.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Content(pointer) => pointer.clone(),
            Self::Each(list, item) => format!("{list}/*{item}"),
            Self::Header(name) => format!("header:{name}"),
            Self::HeaderEnd(name) => format!("header:{name}/"),
            Self::Parameter(name, place) => format!("query:{name}:{}", place.text()),
            Self::Optional(place) => format!("optional:{}", place.text()),
        }
    }

    /// Where it is in the reply, whatever is made of it.
    pub(super) fn innermost(&self) -> &Self {
        match self {
            Self::Parameter(_, place) | Self::Optional(place) => place.innermost(),
            _ => self,
        }
    }

    pub(super) fn parse(text: &str) -> Self {
        if let Some(place) = text.strip_prefix("optional:") {
            return Self::Optional(Box::new(Self::parse(place)));
        }
        if let Some((name, place)) = text.strip_prefix("query:").and_then(|rest| rest.split_once(':')) {
            return Self::Parameter(name.to_owned(), Box::new(Self::parse(place)));
        }
        match text.strip_prefix("header:") {
            None => match text.split_once("/*") {
                Some((list, item)) if item.is_empty() || item.starts_with('/') => {
                    Self::Each(list.to_owned(), item.to_owned())
                }
                _ => Self::Content(text.to_owned()),
            },
            Some(name) => match name.strip_suffix('/') {
                None => Self::Header(name.to_owned()),
                Some(name) => Self::HeaderEnd(name.to_owned()),
            },
        }
    }
}

/// A header without the quotes around its whole value: those of an entity tag, weak or strong.
pub(super) fn unquoted(header: &str) -> &str {
    let quoted = header.strip_prefix("W/").unwrap_or(header);
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(header)
}

/// A parameter in the query of a URL, or of the next one that a header Link names.
pub(super) fn parameter(text: &str, name: &str) -> Option<String> {
    let url = if text.starts_with('<') { next_link(text)? } else { text };
    let query = url.split('#').next()?.split_once('?')?.1;
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.filter(|(known, _)| unescaped(known).as_deref() == Some(name)).find_map(|(_, value)| unescaped(value))
}

/// The URL of a header Link with the relation `next`.
fn next_link(header: &str) -> Option<&str> {
    let is_next = |attribute: &str| {
        let relations = attribute.trim().strip_prefix("rel=").unwrap_or_default();
        relations.trim_matches([' ', ',', '"']).split(' ').any(|relation| relation.eq_ignore_ascii_case("next"))
    };
    let mut links = header.split('<').filter_map(|link| link.split_once('>'));
    links.find(|(_, attributes)| attributes.split(';').any(is_next)).map(|(url, _)| url)
}

/// A text of a query without its escapes.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        rest = others;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let (digits, others) = rest.split_at_checked(2)?;
                bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
                rest = others;
            }
            byte => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok()
}

/// A captured value goes into messages as it is, inside or outside quotes, so that it must need no escapes.
pub(super) fn is_plain(text: &str) -> bool {
    let plain = |c: char| c != '"' && c != '\\' && !c.is_control();
    text.len() <= LONGEST_CAPTURED && text.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_what_the_workload_writes() {
        for text in ["", "/a/b", "/a/*/b", "header:etag", "header:location/", "optional:/a", "query:page:header:link"] {
            assert_eq!(Place::parse(text).text(), text);
        }
        assert!(is_in_headers("optional:query:page:header:link") && is_in_headers("header:location/"));
        assert!(!is_in_headers("optional:/header:x") && !is_in_headers("query:a:/next"));
    }

    #[test]
    fn parameters_of_urls_and_of_the_next_link() {
        let links = "<http://h/a?page=1>; rel=\"prev\", <http://h/a?x=1&page=3>; title=\"c\"; rel=\"last next\"";
        for (text, name, expected) in [
            ("http://h/a?b=1&page=a%2Fb%3D+c#d?page=9", "page", Some("a/b= c")),
            ("/a?page%5Bafter%5D=7", "page[after]", Some("7")),
            ("/a?page", "page", Some("")),
            ("/a?pages=1", "page", None),
            ("/a", "page", None),
            ("/a?page=%zz", "page", None),
            ("/a?page=%2", "page", None),
            (links, "page", Some("3")),
            ("<http://h/a?page=2>;rel=next", "page", Some("2")),
            ("<http://h/a?page=2>; rel=\"last\"", "page", None),
            ("<http://h/a?page=2", "page", None),
        ] {
            assert_eq!(parameter(text, name).as_deref(), expected, "{text}");
        }
    }
}
