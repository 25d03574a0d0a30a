//! Requests out of files: a URL, a body, or a row of values for each.

use std::path::Path;

use super::target::Target;
use crate::cli::arguments::HitArguments;
use crate::template::parse_template;

/// Each is an operation of the plan, and counted each second.
const MOST: usize = 10_000;

/// Where one of the requests goes, and its body.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    pub path: String,
    pub body: Option<Vec<u8>>,
    /// Values of columns, which stand in headers too.
    pub values: Vec<(String, String)>,
}

/// The request itself, or one for each line of a file.
pub fn variants(target: &Target, body: Option<Vec<u8>>, arguments: &HitArguments) -> Result<Vec<Variant>, String> {
    let whole = Variant { path: target.path.clone(), body, values: Vec::new() };
    if let Some(path) = &arguments.csv {
        return rows(path, &whole, arguments);
    }
    let mut variants = vec![whole];
    if let Some(path) = &arguments.bodies {
        if variants[0].body.is_some() {
            return Err("-d and --bodies are both a body: leave one of them out.".to_owned());
        }
        let lines = lines("--bodies", path)?;
        let of = |line: String| Variant { body: Some(line.into_bytes()), ..variants[0].clone() };
        variants = lines.into_iter().map(of).collect();
    }
    let Some(path) = &arguments.urls else { return Ok(variants) };
    let paths = lines("--urls", path)?.into_iter().map(|line| path_of(&line, target));
    let paths = paths.collect::<Result<Vec<_>, _>>()?;
    if paths.len() * variants.len() > MOST {
        return Err(format!("--urls and --bodies: at most {MOST} pairs."));
    }
    let pairs =
        paths.iter().flat_map(|path| variants.iter().map(move |one| Variant { path: path.clone(), ..one.clone() }));
    Ok(pairs.collect())
}

/// The lines of a file that are not empty.
fn lines(option: &str, path: &Path) -> Result<Vec<String>, String> {
    let text = text_of(option, path)?;
    let lines: Vec<String> = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
    match lines.len() {
        0 => Err(format!("{option}: {} has no lines.", path.display())),
        1..=MOST => Ok(lines),
        count => Err(format!("{option}: {} has {count} lines, and at most {MOST} can be used.", path.display())),
    }
}

/// A path, or the path of a URL of the same server.
fn path_of(line: &str, target: &Target) -> Result<String, String> {
    let line = line.trim();
    if line.starts_with('/') {
        return Ok(line.to_owned());
    }
    let other = Target::parse(line).map_err(|error| format!("--urls: {error}"))?;
    let is_same = (&other.host, other.port, other.is_encrypted, other.protocol)
        == (&target.host, target.port, target.is_encrypted, target.protocol);
    if is_same { Ok(other.path) } else { Err(format!("--urls: {line} is not of the server {}.", target.address())) }
}

/// A request for each row, its values in place of ${column}.
fn rows(path: &Path, whole: &Variant, arguments: &HitArguments) -> Result<Vec<Variant>, String> {
    let unusable = |error: &dyn std::fmt::Display| format!("--csv: {} cannot be used: {error}.", path.display());
    let mut reader = csv::Reader::from_path(path).map_err(|error| unusable(&error))?;
    let names = reader.headers().map_err(|error| unusable(&error))?.clone();
    let body = whole.body.as_deref().and_then(|body| std::str::from_utf8(body).ok());
    let texts = body.into_iter().chain([whole.path.as_str()]).chain(arguments.headers.iter().map(String::as_str));
    let mut unknown = texts.flat_map(placeholders).filter(|name| !names.iter().any(|known| known == *name));
    // Others may be slots, which the template's reader knows.
    if let Some(name) = unknown.next().filter(|_| !arguments.slots) {
        let known = names.iter().collect::<Vec<_>>().join(", ");
        return Err(unusable(&format!("it has no column \"{name}\"; columns: {known}")));
    }
    let mut variants = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| unusable(&error))?;
        let values: Vec<(String, String)> =
            names.iter().map(str::to_owned).zip(row.iter().map(str::to_owned)).collect();
        let body = whole.body.as_ref().map(|body| match std::str::from_utf8(body) {
            Ok(text) => filled(text, &values).into_bytes(),
            Err(_) => body.clone(),
        });
        variants.push(Variant { path: filled(&whole.path, &encoded(&values)), body, values });
        if variants.len() > MOST {
            return Err(unusable(&format!("it has more than {MOST} rows")));
        }
    }
    if variants.is_empty() { Err(unusable(&"it has no rows")) } else { Ok(variants) }
}

/// What stands between `${` and `}`, where that can be a name.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).filter(|name| is_name(name))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|each| each.is_alphanumeric() || "_-. |".contains(each))
}

/// Says of the first slot that it is sent as it is, where no option fills it.
pub fn unfilled(variant: &Variant, arguments: &HitArguments) -> Option<String> {
    let body = variant.body.as_deref().and_then(|body| std::str::from_utf8(body).ok());
    let mut names = body.into_iter().chain([variant.path.as_str()]).flat_map(placeholders);
    let is_slot = |name: &&str| parse_template(&format!("${{{name}}}")).is_ok();
    let name = names.find(is_slot).filter(|_| !arguments.slots)?;
    Some(format!("${{{name}}} is sent as it is: --slots fills it."))
}

/// Values as a path or a query takes them.
fn encoded(values: &[(String, String)]) -> Vec<(String, String)> {
    let encode = |text: &str| {
        let byte = |byte: u8| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        };
        text.bytes().map(byte).collect::<String>()
    };
    values.iter().map(|(name, value)| (name.clone(), encode(value))).collect()
}

/// A text with the values of columns in place of their names.
pub fn filled(text: &str, values: &[(String, String)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
}

/// The text of a file.
pub(super) fn text_of(option: &str, path: &Path) -> Result<String, String> {
    let unusable = |reason: String| format!("{option}: {} cannot be read: {reason}.", path.display());
    let bytes = std::fs::read(path).map_err(|error| unusable(words(&error)))?;
    String::from_utf8(bytes).map_err(|_| unusable("it is not UTF-8 text".to_owned()))
}

/// The system's words, without its number.
pub(super) fn words(error: &std::io::Error) -> String {
    let reason = error.to_string();
    reason.split(" (os error").next().unwrap_or(&reason).to_owned()
}
