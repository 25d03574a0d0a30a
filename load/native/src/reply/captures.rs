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
}

impl Place {
    /// As the workload writes it.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Content(pointer) => pointer.clone(),
            Self::Each(list, item) => format!("{list}/*{item}"),
            Self::Header(name) => format!("header:{name}"),
            Self::HeaderEnd(name) => format!("header:{name}/"),
        }
    }

    pub(super) fn parse(text: &str) -> Self {
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

/// A captured value goes into messages as it is, inside or outside quotes, so that it must need no escapes.
pub(super) fn is_plain(text: &str) -> bool {
    let plain = |c: char| c != '"' && c != '\\' && !c.is_control();
    text.len() <= LONGEST_CAPTURED && text.chars().all(plain)
}
