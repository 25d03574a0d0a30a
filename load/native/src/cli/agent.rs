//! `--agent 2/3`: the number of this engine among several.

/// Its number, counted from 1, and how many there are.
///
/// # Errors
/// The text is not such a pair.
pub fn share(text: &str) -> Result<(u32, u32), String> {
    let parsed = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    match parsed {
        Some((number, of)) if (1..=of).contains(&number) && of <= 1_000 => Ok((number, of)),
        _ => Err("must be K/N, such as 2/3: the number of this engine and how many there are".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn a_number_among_several() {
        assert_eq!(share("2/3"), Ok((2, 3)));
        assert_eq!(share("1/1"), Ok((1, 1)));
        for text in ["", "2", "0/3", "4/3", "1/0", "1/1001", "-1/2", "a/b", "1/2/3"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
