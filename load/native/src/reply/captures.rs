//! Where captured values come from, and which may be captured.

use serde_json::Value;

use super::content::text_of;
use crate::mismatch::shown;
use crate::wire::http1::header;

/// Captured values go into paths and headers, whose length is bounded.
const LONGEST_CAPTURED: usize = 4 * 1024;
const WHILE: &str = " while ";

/// Where a captured value comes from.
#[derive(Debug)]
pub(super) enum Place {
    /// A JSON pointer into the content; in lists `-1` is the last item.
    Content(String),
    /// A list in the content, and a JSON pointer into each of its items.
    Each(String, String),
    Header(String),
    /// The part of a header after its last slash, such as the id in a Location.
    HeaderEnd(String),
    /// A parameter in the query of the URL at a place; the whole query where it has no name.
    Parameter(String, Box<Place>),
    /// What may be absent: it is empty then.
    Optional(Box<Place>),
    /// The value that was captured before, or the first one, and so much more.
    Count(u64, Step),
    /// Empty where the condition does not hold.
    While(Box<Place>, Condition),
}

/// By how much a count grows.
#[derive(Debug)]
pub(super) enum Step {
    Number(u64),
    /// The number of items of the list at a pointer.
    Items(String),
}

#[derive(Debug)]
pub(super) enum Condition {
    /// The value at a pointer is this one.
    Is(bool, String),
    /// The list at a pointer has at least so many items.
    Has(String, usize),
    /// The captured number is below the one at a place.
    Below(Box<Place>),
    UpTo(Box<Place>),
}

/// What captured values are taken from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub document: &'a Value,
    /// The item of a list whose values are captured.
    pub item: &'a Value,
    pub head: &'a [u8],
    /// The value of the same name that was captured before.
    pub earlier: Option<&'a str>,
}

/// Whether a place of a workload is in a reply's headers.
#[must_use]
pub fn is_in_headers(place: &str) -> bool {
    Place::parse(place).any(&|place| matches!(place, Place::Header(_) | Place::HeaderEnd(_)))
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
            Self::Count(first, Step::Number(step)) => format!("count:{first}+{step}"),
            Self::Count(first, Step::Items(list)) => format!("count:{first}+{list}"),
            Self::While(place, condition) => format!("{}{WHILE}{}", place.text(), condition.text()),
        }
    }

    /// Whether a test holds of it, or of a place that it is made of.
    pub(super) fn any(&self, test: &impl Fn(&Self) -> bool) -> bool {
        let within = match self {
            Self::Parameter(_, place) | Self::Optional(place) => place.any(test),
            Self::While(place, Condition::Below(bound) | Condition::UpTo(bound)) => place.any(test) || bound.any(test),
            Self::While(place, _) => place.any(test),
            _ => false,
        };
        within || test(self)
    }

    /// Whether it is looked for in the content.
    pub(super) fn reads_content(&self) -> bool {
        self.any(&|place| {
            matches!(place, Self::Content(_) | Self::Each(..) | Self::Count(_, Step::Items(_)))
                || matches!(place, Self::While(_, Condition::Is(..) | Condition::Has(..)))
        })
    }

    /// The list whose items are captured.
    pub(super) fn list(&self) -> Option<&str> {
        match self {
            Self::Each(list, _) => Some(list),
            Self::Parameter(_, place) | Self::Optional(place) | Self::While(place, _) => place.list(),
            _ => None,
        }
    }

    pub(super) fn parse(text: &str) -> Self {
        if let Some((place, condition)) = text.rsplit_once(WHILE) {
            return Self::While(Box::new(Self::parse(place)), Condition::parse(condition));
        }
        if let Some(place) = text.strip_prefix("optional:") {
            return Self::Optional(Box::new(Self::parse(place)));
        }
        if let Some((name, place)) = text.strip_prefix("query:").and_then(|rest| rest.split_once(':')) {
            return Self::Parameter(name.to_owned(), Box::new(Self::parse(place)));
        }
        if let Some((first, step)) = text.strip_prefix("count:").and_then(|rest| rest.split_once('+')) {
            let step = step.parse().map_or_else(|_| Step::Items(step.to_owned()), Step::Number);
            return Self::Count(first.parse().unwrap_or_default(), step);
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

    /// The value there as text, and what stands there as people read it.
    pub(super) fn found(&self, source: &Source<'_>) -> (Option<String>, String) {
        match self {
            Self::Content(pointer) | Self::Each(_, pointer) => {
                let holder = if matches!(self, Self::Each(..)) { source.item } else { source.document };
                let value = value_at(holder, pointer);
                (value.and_then(text_of), shown(value))
            }
            Self::Header(name) => {
                let whole = source.header(name);
                (whole.as_deref().map(|text| unquoted(text).to_owned()), shown(whole.map(Value::from).as_ref()))
            }
            Self::HeaderEnd(name) => {
                let whole = source.header(name);
                let end = whole.as_deref().and_then(|text| text.rsplit('/').next().map(str::to_owned));
                (end, shown(whole.map(Value::from).as_ref()))
            }
            Self::Parameter(name, place) => {
                let (found, received) = place.found(source);
                (found.and_then(|text| parameter(&text, name)), received)
            }
            Self::Optional(place) => {
                let (found, received) = place.found(source);
                (Some(found.unwrap_or_default()), received)
            }
            Self::Count(first, step) => (Some(step.after(*first, source)), String::new()),
            Self::While(place, condition) => {
                let (found, received) = place.found(source);
                if condition.holds(found.as_deref(), source) {
                    (found, received)
                } else {
                    (Some(String::new()), received)
                }
            }
        }
    }
}

impl Step {
    /// The next number; empty after a reply whose list is empty.
    fn after(&self, first: u64, source: &Source<'_>) -> String {
        let step = match self {
            Self::Number(step) => *step,
            Self::Items(list) => items(source.document, list) as u64,
        };
        let before = source.earlier.and_then(|text| text.parse().ok()).unwrap_or(first);
        if step == 0 { String::new() } else { before.saturating_add(step).to_string() }
    }
}

impl Condition {
    fn text(&self) -> String {
        match self {
            Self::Is(true, pointer) => pointer.clone(),
            Self::Is(false, pointer) => format!("not {pointer}"),
            Self::Has(list, least) => format!("{list} has {least}"),
            Self::Below(place) => format!("< {}", place.text()),
            Self::UpTo(place) => format!("<= {}", place.text()),
        }
    }

    fn parse(text: &str) -> Self {
        let bound = |place: &str| Box::new(Place::parse(place));
        let has = || text.rsplit_once(" has ").and_then(|(list, least)| Some((list, least.parse().ok()?)));
        match (text.strip_prefix("<= "), text.strip_prefix("< "), text.strip_prefix("not "), has()) {
            (Some(place), ..) => Self::UpTo(bound(place)),
            (_, Some(place), ..) => Self::Below(bound(place)),
            (_, _, Some(pointer), _) => Self::Is(false, pointer.to_owned()),
            (.., Some((list, least))) => Self::Has(list.to_owned(), least),
            _ => Self::Is(true, text.to_owned()),
        }
    }

    /// Whether there is more after a reply.
    fn holds(&self, found: Option<&str>, source: &Source<'_>) -> bool {
        let number = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok());
        let bounds = |place: &Place, allows: fn(u64, u64) -> bool| {
            let bound = number(place.found(source).0.as_deref());
            number(found).zip(bound).is_some_and(|(found, bound)| allows(found, bound))
        };
        match self {
            Self::Is(expected, pointer) => value_at(source.document, pointer) == Some(&Value::Bool(*expected)),
            Self::Has(list, least) => items(source.document, list) >= *least,
            Self::Below(place) => bounds(place, |found, bound| found < bound),
            Self::UpTo(place) => bounds(place, |found, bound| found <= bound),
        }
    }
}

impl Source<'_> {
    fn header(&self, name: &str) -> Option<String> {
        header(self.head, name).and_then(|text| std::str::from_utf8(text).ok()).map(str::to_owned)
    }
}

/// The value at a pointer, in which `-1` is the last item of a list.
fn value_at<'a>(document: &'a Value, pointer: &str) -> Option<&'a Value> {
    if !pointer.contains("/-1") {
        return document.pointer(pointer);
    }
    pointer.split('/').skip(1).try_fold(document, |holder, name| match holder {
        Value::Array(items) if name == "-1" => items.last(),
        _ => holder.pointer(&format!("/{name}")),
    })
}

/// The number of items of the list at a pointer.
fn items(document: &Value, pointer: &str) -> usize {
    value_at(document, pointer).and_then(Value::as_array).map_or(0, Vec::len)
}

/// A header without the quotes around its whole value: those of an entity tag, weak or strong.
fn unquoted(header: &str) -> &str {
    let quoted = header.strip_prefix("W/").unwrap_or(header);
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(header)
}

/// A parameter in the query of a URL, or of the next one that a header Link names; without a name the query as it is.
fn parameter(text: &str, name: &str) -> Option<String> {
    let url = if text.starts_with('<') { next_link(text)? } else { text };
    let query = url.split('#').next()?.split_once('?')?.1;
    if name.is_empty() {
        return query.bytes().all(|byte| byte.is_ascii_graphic()).then(|| query.to_owned());
    }
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
        for place in ["optional:/data/-1/id", "query::/next", "count:1+1", "count:0+/items", "header:x"] {
            for condition in ["/more", "not /last", "/a b has 20", "< /total", "<= header:x-pages"] {
                let text = format!("{place} while {condition}");
                assert_eq!(Place::parse(&text).text(), text);
            }
        }
        assert!(is_in_headers("optional:query:page:header:link") && is_in_headers("header:location/"));
        assert!(is_in_headers("count:1+1 while <= header:x-pages") && !is_in_headers("count:0+/a while < /total"));
        assert!(!is_in_headers("optional:/header:x") && !is_in_headers("query:a:/next"));
        let reads = |text: &str| Place::parse(text).reads_content();
        assert!(reads("header:x while /more") && reads("count:0+/a") && reads("count:1+1 while < /total"));
        assert!(!reads("count:1+1 while <= header:x-pages") && !reads("optional:query:a:header:link"));
    }

    #[test]
    fn a_next_page_is_found_while_there_is_one() {
        let document = serde_json::json!({
            "data": [{"id": 4}, {"id": 7}], "more": true, "end": false, "total": 5, "pages": "3", "none": [],
            "-1": {"id": 9}, "next": "http://h/a?x=1&c=a%2Fb"
        });
        for (place, earlier, expected) in [
            ("optional:/data/-1/id while /more", None, "7"),
            ("optional:/data/-1/id while not /end", None, "7"),
            ("optional:/data/-1/id while /end", None, ""),
            ("optional:/data/-1/id while /absent", None, ""),
            ("optional:/data/-1/id while not /absent", None, ""),
            ("optional:/none/-1/id while /more", None, ""),
            ("/-1/id", None, "9"),
            ("optional:query::/next", None, "x=1&c=a%2Fb"),
            ("count:1+1 while <= /pages", None, "2"),
            ("count:1+1 while <= /pages", Some(""), "2"),
            ("count:1+1 while <= /pages", Some("2"), "3"),
            ("count:1+1 while <= /pages", Some("3"), ""),
            ("count:0+1 while < /pages", Some("2"), ""),
            ("count:0+/data while < /total", Some("2"), "4"),
            ("count:0+/data while < /total", Some("4"), ""),
            ("count:0+/data while < /absent", None, ""),
            ("count:0+/none while < /total", None, ""),
            ("count:1+1 while /data has 2", None, "2"),
            ("count:1+1 while /data has 3", None, ""),
            ("count:1+1 while < header:x-total", None, "2"),
        ] {
            let head = b"HTTP/1.1 200 OK\r\nx-total: 9\r\n\r\n";
            let source = Source { document: &document, item: &Value::Null, head, earlier };
            assert_eq!(Place::parse(place).found(&source).0.as_deref(), Some(expected), "{place} after {earlier:?}");
        }
    }

    #[test]
    fn parameters_of_urls_and_of_the_next_link() {
        let links = "<http://h/a?page=1>; rel=\"prev\", <http://h/a?x=1&page=3>; title=\"c\"; rel=\"last next\"";
        for (text, name, expected) in [
            ("http://h/a?b=1&page=a%2Fb%3D+c#d?page=9", "page", Some("a/b= c")),
            ("/a?page%5Bafter%5D=7", "page[after]", Some("7")),
            ("/a?page", "page", Some("")),
            ("/a?b=%2F+&c#d", "", Some("b=%2F+&c")),
            ("/a?b=1 2", "", None),
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
