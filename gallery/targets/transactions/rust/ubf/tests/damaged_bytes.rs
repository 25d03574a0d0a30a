//! Damaged and random bytes: refused, or read to the end; never a panic.
//!
//! `UBF_INPUTS=10000000 cargo test --release --package ubf --test damaged_bytes` tries as many as that.

use ubf::{Buffer, Field, UbfStruct, Value, View, kind};

const NAME: Field<kind::Text> = Field::new(1003);
const AMOUNT: Field<kind::Long> = Field::new(1014);
const PART: Field<kind::Nested> = Field::new(1070);
const USUAL_INPUTS: u64 = 200_000;

#[derive(Debug, UbfStruct)]
struct Transaction<'a> {
    #[ubf(field = NAME)]
    name: &'a str,
    #[ubf(field = AMOUNT)]
    amount: Option<i64>,
}

/// Xorshift: the same inputs at every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }
}

fn example() -> Vec<u8> {
    let mut inner = Buffer::new();
    inner.add(NAME, &"inner").unwrap();
    let mut buffer = Buffer::new();
    buffer.add(NAME, &"Zoë").unwrap();
    buffer.add(AMOUNT, &15_000_i64).unwrap();
    buffer.add(PART, &inner.view()).unwrap();
    buffer.into_bytes()
}

/// Flips, cuts, extends and repeats; every second input keeps a right length in its header, to get past it.
fn damaged(random: &mut Random, good: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len().max(1));
        match random.below(5) {
            0 if !bytes.is_empty() => bytes[at] = random.byte(),
            1 => bytes.truncate(at),
            2 => bytes.insert(at.min(bytes.len()), random.byte()),
            3 => bytes.extend_from_within(at.min(bytes.len())..),
            _ => bytes.extend((0..random.below(16)).map(|_| random.byte())),
        }
    }
    if random.below(2) == 0 && bytes.len() >= 8 {
        let length = u32::try_from(bytes.len() - 8).unwrap();
        bytes[..8].copy_from_slice(&[b'U', b'B', 1, 0, 0, 0, 0, 0]);
        bytes[4..8].copy_from_slice(&length.to_le_bytes());
    }
    bytes
}

fn read_all(view: View<'_>) -> usize {
    let values = view.iter().map(|entry| match entry.value {
        Value::Nested(inner) => read_all(inner),
        Value::Text(text) => text.chars().count(),
        _ => 1,
    });
    values.sum()
}

#[test]
fn damaged_bytes_are_refused_or_read_to_the_end() {
    let inputs = std::env::var("UBF_INPUTS").map_or(USUAL_INPUTS, |count| count.parse().unwrap());
    let (good, mut random) = (example(), Random(0x9e37_79b9_7f4a_7c15));
    let mut accepted = 0_u64;
    for _ in 0..inputs {
        let bytes = damaged(&mut random, &good);
        if let Ok(view) = View::parse(&bytes) {
            accepted += 1;
            read_all(view);
            if let Ok(read) = Transaction::read_from(view) {
                assert_eq!((Ok(Some(read.name)), Ok(read.amount)), (view.get(NAME, 0), view.get(AMOUNT, 0)));
            }
            assert_eq!(view.to_bytes(), bytes, "what is accepted is written as it was read");
        }
    }
    assert!(accepted > inputs / 100, "of {inputs} inputs only {accepted} got past the checks");
    assert!(accepted < inputs, "nothing was refused");
}
