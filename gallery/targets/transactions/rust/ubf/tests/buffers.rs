//! Buffers as a user sees them: occurrences, order, changes, structs, and untrusted bytes.

use proptest::prelude::*;
use ubf::{Buffer, Field, MAX_DEPTH, UbfError, UbfStruct, Value, View, kind};

const COUNT: Field<kind::Long> = Field::new(1014);
const NAME: Field<kind::Text> = Field::new(1003);
const STATUS: Field<kind::Text> = Field::new(1004);
const FLAG: Field<kind::Short> = Field::new(1030);
const LETTER: Field<kind::Char> = Field::new(1040);
const RATIO: Field<kind::Float> = Field::new(1020);
const PRICE: Field<kind::Double> = Field::new(1021);
const BLOB: Field<kind::Carray> = Field::new(1060);
const PART: Field<kind::Nested> = Field::new(1070);

#[derive(Debug, Clone, PartialEq, UbfStruct)]
struct Part {
    #[ubf(field = NAME)]
    name: String,
    #[ubf(field = COUNT)]
    count: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, UbfStruct)]
struct Order<'a> {
    #[ubf(field = STATUS)]
    status: &'a str,
    #[ubf(field = NAME)]
    names: Vec<&'a str>,
    #[ubf(field = PART)]
    parts: Vec<Part>,
    #[ubf(field = BLOB)]
    blob: Option<&'a [u8]>,
}

fn example() -> Buffer {
    let mut buffer = Buffer::new();
    buffer.add(NAME, &"Ada").unwrap();
    buffer.add(COUNT, &-7_i64).unwrap();
    buffer.add(NAME, &"Grace").unwrap();
    buffer.add(FLAG, &3_i16).unwrap();
    buffer.add(LETTER, &b'x').unwrap();
    buffer.add(RATIO, &0.5_f32).unwrap();
    buffer.add(PRICE, &0.25_f64).unwrap();
    buffer.add(BLOB, &[0_u8, 1].as_slice()).unwrap();
    buffer
}

#[test]
fn an_id_is_that_of_the_middleware() {
    assert_eq!(Field::<kind::Text>::new(101).id().as_u32(), 167_772_261);
    assert_eq!(NAME.id().number(), 1003);
}

#[test]
fn occurrences_are_kept_in_order_and_sorted_by_field() {
    let buffer = example();
    let view = View::parse(buffer.as_bytes()).unwrap();
    assert_eq!((view.get(NAME, 0), view.get(NAME, 1), view.count(NAME)), (Ok(Some("Ada")), Ok(Some("Grace")), 2));
    assert_eq!((view.require(COUNT), view.require(FLAG), view.require(LETTER)), (Ok(-7_i64), Ok(3_i16), Ok(b'x')));
    assert_eq!((view.require(RATIO), view.require(PRICE)), (Ok(0.5_f32), Ok(0.25_f64)));
    assert_eq!(view.get::<_, &str>(STATUS, 0), Ok(None));
    let fields: Vec<u32> = view.iter().map(|entry| entry.field.as_u32()).collect();
    assert!(fields.is_sorted());
    assert!(matches!(view.iter().last().unwrap().value, Value::Carray([0, 1])));
}

#[test]
fn a_field_is_changed_and_removed() {
    let mut buffer = example();
    buffer.change(NAME, 0, &"a much longer name").unwrap();
    buffer.remove(NAME, 1).unwrap();
    buffer.add(NAME, &"last").unwrap();
    let view = View::parse(buffer.as_bytes()).unwrap();
    assert_eq!((view.get(NAME, 0), view.get(NAME, 1)), (Ok(Some("a much longer name")), Ok(Some("last"))));
    let missing = UbfError::Occurrence { field: NAME.id(), occurrence: 2 };
    assert_eq!(buffer.change(NAME, 2, &"none"), Err(missing.clone()));
    assert_eq!(buffer.remove(NAME, 2), Err(missing));
    assert_eq!(buffer.remove(STATUS, 0).unwrap_err().to_string(), "field 1004 has no occurrence 0");
}

#[test]
fn what_cannot_be_stored_leaves_the_buffer_as_it_was() {
    let mut buffer = example();
    let before = buffer.clone();
    assert_eq!(buffer.add(PART, &example().view()), Ok(()));
    buffer.remove(PART, 0).unwrap();
    assert_eq!(buffer.add(NAME, &"nul\0"), Err(UbfError::Text(NAME.id())));
    assert_eq!(buffer.add(BLOB, &vec![0_u8; ubf::MAX_BYTES].as_slice()), Err(UbfError::Size));
    assert_eq!(buffer, before);
}

#[test]
fn structs_come_back_as_they_were() {
    let parts = vec![Part { name: "wheel".into(), count: Some(4) }, Part { name: "door".into(), count: None }];
    let order = Order { status: "open", names: vec!["a", "b"], parts, blob: Some(&[9, 8]) };
    let buffer = order.to_buffer().unwrap();
    assert_eq!(Order::read_from(View::parse(buffer.as_bytes()).unwrap()), Ok(order));
    assert_eq!(Part::read_from(Buffer::new().view()), Err(UbfError::Missing(NAME.id())));
}

#[test]
fn bytes_that_are_no_buffer_are_refused_by_name() {
    let good = example().into_bytes();
    assert_eq!(View::parse(&[]), Err(UbfError::Truncated { at: 0 }));
    assert_eq!(View::parse(b"JSON\0\0\0\0"), Err(UbfError::Header));
    assert!(matches!(View::parse(&good[..good.len() - 1]), Err(UbfError::Length { .. })));
    let mut unknown = good.clone();
    unknown[11] = 0xff;
    assert!(matches!(View::parse(&unknown), Err(UbfError::UnknownType(_))));
    let mut longer = good.clone();
    longer.extend_from_slice(&NAME.id().as_u32().to_le_bytes());
    let length = u32::try_from(longer.len() - 8).unwrap();
    longer[4..8].copy_from_slice(&length.to_le_bytes());
    assert!(matches!(View::parse(&longer), Err(UbfError::Truncated { .. })));
}

#[test]
fn nesting_has_an_end() {
    let mut inner = Buffer::new();
    for _ in 0..MAX_DEPTH - 1 {
        let mut outer = Buffer::new();
        outer.add(PART, &inner.view()).unwrap();
        inner = outer;
    }
    assert!(View::parse(inner.as_bytes()).is_ok());
    let mut outer = Buffer::new();
    outer.add(PART, &inner.view()).unwrap();
    assert_eq!(View::parse(outer.as_bytes()), Err(UbfError::Depth));
}

proptest! {
    #[test]
    fn any_occurrences_come_back(names in prop::collection::vec("[^\0]{0,20}", 0..20), counts in prop::collection::vec(any::<i64>(), 0..20)) {
        let mut buffer = Buffer::new();
        for at in 0..names.len().max(counts.len()) {
            if let Some(name) = names.get(at) { buffer.add(NAME, &name.as_str()).unwrap(); }
            if let Some(count) = counts.get(at) { buffer.add(COUNT, count).unwrap(); }
        }
        let view = View::parse(buffer.as_bytes()).unwrap();
        for (at, name) in names.iter().enumerate() { prop_assert_eq!(view.get(NAME, at), Ok(Some(name.as_str()))); }
        for (at, count) in counts.iter().enumerate() { prop_assert_eq!(view.get(COUNT, at), Ok(Some(*count))); }
        prop_assert_eq!(view.iter().count(), names.len() + counts.len());
        prop_assert_eq!(Buffer::of(view), buffer);
    }
}
