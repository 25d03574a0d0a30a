//! HPACK's Huffman code (RFC 7541, appendix B). The code is canonical: its lengths define it.

use std::sync::LazyLock;

/// Length of each byte's code, in bits.
const LENGTHS: [u8; 256] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
    28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12,
    10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6,
    5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22,
    22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20,
    22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28,
    27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28,
    27, 27, 27, 27, 27, 26,
];
const LONGEST: usize = 30;

/// Codes of one length: the first of them, how many there are, and where their bytes begin.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    first: u32,
    count: u32,
    start: u32,
}

struct Table {
    groups: [Group; LONGEST + 1],
    bytes: Vec<u8>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut bytes: Vec<u8> = (0..=255).collect();
    bytes.sort_by_key(|byte| LENGTHS[usize::from(*byte)]);
    let mut groups = [Group::default(); LONGEST + 1];
    let (mut code, mut start) = (0, 0);
    for (length, group) in groups.iter_mut().enumerate() {
        let count = LENGTHS.iter().filter(|known| usize::from(**known) == length).count() as u32;
        code <<= 1;
        *group = Group { first: code, count, start };
        code += count;
        start += count;
    }
    Table { groups, bytes }
});

/// Appends the decoded text; none when the input is not valid.
pub fn decode(input: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (mut code, mut length) = (0_u32, 0_usize);
    for byte in input {
        for bit in (0..8).rev() {
            code = code << 1 | u32::from(byte >> bit & 1);
            length += 1;
            let group = TABLE.groups.get(length)?;
            if let Some(place) = code.checked_sub(group.first).filter(|place| *place < group.count) {
                out.push(TABLE.bytes[(group.start + place) as usize]);
                (code, length) = (0, 0);
            }
        }
    }
    // The rest is padding: fewer than eight bits, all of them one.
    (length < 8 && code == (1 << length) - 1).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(hexadecimal: &str) -> Option<String> {
        let byte = |at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).expect("hexadecimal");
        let input: Vec<u8> = (0..hexadecimal.len()).step_by(2).map(byte).collect();
        let mut out = Vec::new();
        decode(&input, &mut out)?;
        String::from_utf8(out).ok()
    }

    #[test]
    fn examples_of_the_standard() {
        for (input, text) in [
            ("f1e3c2e5f23a6ba0ab90f4ff", "www.example.com"),
            ("a8eb10649cbf", "no-cache"),
            ("6402", "302"),
            ("d07abe941054d444a8200595040b8166e082a62d1bff", "Mon, 21 Oct 2013 20:13:21 GMT"),
            ("", ""),
        ] {
            assert_eq!(decoded(input).as_deref(), Some(text));
        }
    }

    #[test]
    fn wrong_padding_is_refused() {
        for input in ["f1e3c2e5f23a6ba0ab90f4fe", "ff", "ffffffff", "0000"] {
            assert_eq!(decoded(input), None, "{input}");
        }
    }
}
