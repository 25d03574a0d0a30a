//! Whether a number can be stored: by a double, as the contract says, and by PostgreSQL's `numeric`.

use crate::limits::{NUMBER_CHARACTERS, NUMBER_EXPONENT};

/// Without an exponent a literal shorter than this is neither too large nor too small for a double.
const SAFE_CHARACTERS: usize = 300;

/// The nearest double is finite, and zero only if the literal is; and the literal is one that `numeric` can read.
#[must_use]
pub fn is_storable(literal: &str) -> bool {
    let exponent = literal.bytes().position(|byte| matches!(byte, b'e' | b'E'));
    if exponent.is_none() && literal.len() < SAFE_CHARACTERS {
        return true;
    }
    if literal.len() > NUMBER_CHARACTERS {
        return false;
    }
    let (mantissa, exponent) = literal.split_at(exponent.unwrap_or(literal.len()));
    let exponent = exponent.trim_start_matches(['e', 'E', '+', '-']).trim_start_matches('0');
    if !exponent.is_empty() && exponent.parse::<u32>().map_or(true, |exponent| exponent > NUMBER_EXPONENT) {
        return false;
    }
    let is_zero = !mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    is_zero || literal.parse::<f64>().is_ok_and(|double| double.is_finite() && double != 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_can_be_stored() {
        for literal in [
            "0",
            "-0",
            "0.10",
            "12345678901234567890",
            "1.7976931348623157e308",
            "-1.7976931348623157E+308",
            "1.7976931348623158e308",
            "5e-324",
            "2.4703282292062328e-324",
            "0e400",
            "0.00e-400",
            "0e000000000000000000001",
            "0e1100",
            "1e00000000000000000000000001",
            &"9".repeat(308),
            &format!("0.{}1", "0".repeat(322)),
            &format!("0.{}", "1".repeat(1_098)),
        ] {
            assert!(is_storable(literal), "{literal}");
        }
    }

    #[test]
    fn numbers_that_cannot() {
        for literal in [
            "1.7976931348623159e308",
            "-1e309",
            "1e999999999999999999999",
            "1e-324",
            "2.4703282292062327e-324",
            "-1e-99999999999999999999",
            "0e-1101",
            "0.0e99999999999999999999",
            &"9".repeat(309),
            &format!("0.{}1", "0".repeat(400)),
            &format!("0.{}", "1".repeat(1_099)),
            &format!("0.{}", "0".repeat(1_099)),
        ] {
            assert!(!is_storable(literal), "{literal}");
        }
    }
}
