//! Payloads as typed buffers of Enduro/X, and back.

use std::ffi::{CString, c_char, c_int};

use bus::{Payload, PayloadType};
use ubf::{Buffer, Field, FieldId, FieldType, UbfError, Value, View, kind};

use crate::library::Functions;
use crate::typed::Typed;

/// The bytes of a fielded buffer beside its values.
const HEADER: usize = 1024;
const WORD: usize = 8;

/// The payload as Enduro/X sends it.
pub(crate) fn to_typed(functions: &'static Functions, payload: &Payload) -> Result<Typed, String> {
    match payload.payload_type {
        PayloadType::Null => Ok(Typed::null(functions)),
        PayloadType::Text => match CString::new(payload.bytes.as_slice()) {
            Ok(text) => Typed::string(functions, &text),
            // A STRING ends at its first zero byte.
            Err(_) => Typed::carray(functions, &payload.bytes),
        },
        PayloadType::Ubf => ubf_of(functions, View::parse(&payload.bytes).map_err(|error| error.to_string())?),
    }
}

/// The payload of a buffer that Enduro/X received.
pub(crate) fn from_typed(functions: &'static Functions, typed: &Typed) -> Result<Payload, String> {
    match typed.type_name().as_str() {
        "" | "NULL" => Ok(Payload::null()),
        "STRING" => Ok(Payload { payload_type: PayloadType::Text, bytes: typed.string_bytes().to_vec() }),
        "CARRAY" => Ok(Payload { payload_type: PayloadType::Text, bytes: typed.carray_bytes().to_vec() }),
        // SAFETY: the type says what it is.
        "UBF" | "UBF32" | "FML" | "FML32" => unsafe { buffer_of(functions, typed.pointer()) }.map(Payload::ubf),
        other => Err(format!("a buffer has the unknown type {other}")),
    }
}

/// Bytes that the buffer takes in a message, without the message's own head.
pub(crate) fn size(functions: &'static Functions, payload: &Payload, typed: &Typed) -> usize {
    match payload.payload_type {
        // SAFETY: it was made as a fielded buffer.
        PayloadType::Ubf => usize::try_from(unsafe { (functions.Bused)(typed.pointer()) }).unwrap_or(usize::MAX),
        _ => payload.bytes.len(),
    }
}

fn ubf_of(functions: &'static Functions, view: View<'_>) -> Result<Typed, String> {
    let typed = Typed::allocated(functions, c"UBF", room_for(view))?;
    for entry in view {
        match entry.value {
            Value::Short(number) => add(functions, &typed, entry.field, &number.to_ne_bytes()),
            Value::Long(number) => add(functions, &typed, entry.field, &number.to_ne_bytes()),
            Value::Char(byte) => add(functions, &typed, entry.field, &[byte]),
            Value::Float(number) => add(functions, &typed, entry.field, &number.to_ne_bytes()),
            Value::Double(number) => add(functions, &typed, entry.field, &number.to_ne_bytes()),
            Value::Carray(bytes) => add(functions, &typed, entry.field, bytes),
            Value::Text(text) => {
                let text = CString::new(text).map_err(|error| error.to_string())?;
                add(functions, &typed, entry.field, text.as_bytes_with_nul())
            }
            Value::Nested(inner) => {
                let inner = ubf_of(functions, inner)?;
                // SAFETY: the field's type is that of nested buffers, and `inner` is one.
                unsafe { add_pointer(functions, &typed, entry.field, inner.pointer(), 0) }
            }
        }?;
    }
    Ok(typed)
}

/// More than enough: values are aligned, and each nested buffer has its own head.
fn room_for(view: View<'_>) -> usize {
    let of_value = |value| match value {
        Value::Text(text) => text.len(),
        Value::Carray(bytes) => bytes.len(),
        Value::Nested(inner) => room_for(inner),
        _ => WORD,
    };
    HEADER + view.iter().map(|entry| of_value(entry.value) + 3 * WORD).sum::<usize>()
}

fn add(functions: &Functions, to: &Typed, field: FieldId, value: &[u8]) -> Result<(), String> {
    let length = c_int::try_from(value.len()).map_err(|_| format!("field {field} is too large"))?;
    // SAFETY: the value has the layout of the field's type, and a text ends with a zero byte.
    unsafe { add_pointer(functions, to, field, value.as_ptr().cast(), length) }
}

/// # Safety
/// The pointer must be to a value of the field's type.
unsafe fn add_pointer(
    functions: &Functions,
    to: &Typed,
    field: FieldId,
    value: *const c_char,
    length: c_int,
) -> Result<(), String> {
    // SAFETY: as the caller promises; `to` is a fielded buffer.
    match unsafe { (functions.Badd)(to.pointer(), field.as_u32().cast_signed(), value, length) } {
        0 => Ok(()),
        _ => Err(format!("field {field}: {}", functions.buffer_error())),
    }
}

/// Copies a fielded buffer of Enduro/X.
///
/// # Safety
/// The pointer must be to one.
unsafe fn buffer_of(functions: &Functions, from: *mut c_char) -> Result<Buffer, String> {
    // SAFETY: as the caller promises.
    let used = usize::try_from(unsafe { (functions.Bused)(from) }).map_err(|_| functions.buffer_error())?;
    let mut entries = Vec::new();
    let (mut field, mut occurrence) = (0, 0);
    // Words, because a nested buffer is read where it is copied to; no value is longer than its buffer.
    let mut value = vec![0_u64; used.div_ceil(WORD)];
    loop {
        let mut length = c_int::try_from(used).map_err(|_| "a buffer is too large")?;
        let to = value.as_mut_ptr().cast();
        // SAFETY: `value` has as much room as `length` says.
        match unsafe { (functions.Bnext)(from, &raw mut field, &raw mut occurrence, to, &raw mut length) } {
            1 => {
                let words = usize::try_from(length).map_err(|_| "a field has a negative length")?.div_ceil(WORD);
                entries.push((field.cast_unsigned(), value[..words].to_vec(), length));
            }
            0 => break,
            _ => return Err(functions.buffer_error()),
        }
    }
    let mut buffer = Buffer::with_capacity(used);
    // Behind the loop, because Enduro/X keeps one place for each thread, which nested buffers would move.
    for (field, mut value, length) in entries {
        // SAFETY: Enduro/X wrote a value of the field's type.
        unsafe { copy(functions, &mut buffer, field, &mut value, length) }?;
    }
    Ok(buffer)
}

/// # Safety
/// The words must hold a value of the field's type with so many bytes.
unsafe fn copy(
    functions: &Functions,
    to: &mut Buffer,
    field: u32,
    value: &mut [u64],
    length: c_int,
) -> Result<(), String> {
    let number = field & ((1 << 25) - 1);
    let length = usize::try_from(length).map_err(|_| "a field has a negative length")?;
    let pointer = value.as_mut_ptr().cast::<u8>();
    // SAFETY: the words hold that many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(pointer, length) };
    let added = match FieldType::from_number(field >> 25) {
        Some(FieldType::Short) => to.add(Field::<kind::Short>::new(number), &i16::from_ne_bytes(sized(bytes)?)),
        Some(FieldType::Long) => to.add(Field::<kind::Long>::new(number), &i64::from_ne_bytes(sized(bytes)?)),
        Some(FieldType::Char) => to.add(Field::<kind::Char>::new(number), &u8::from_ne_bytes(sized(bytes)?)),
        Some(FieldType::Float) => to.add(Field::<kind::Float>::new(number), &f32::from_ne_bytes(sized(bytes)?)),
        Some(FieldType::Double) => to.add(Field::<kind::Double>::new(number), &f64::from_ne_bytes(sized(bytes)?)),
        Some(FieldType::Carray) => to.add(Field::<kind::Carray>::new(number), &bytes),
        Some(FieldType::Text) => {
            let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
            let text = str::from_utf8(text).map_err(|_| format!("field {number} is not UTF-8"))?;
            to.add(Field::<kind::Text>::new(number), &text)
        }
        Some(FieldType::Nested) => {
            // SAFETY: the words begin with a fielded buffer.
            let inner = unsafe { buffer_of(functions, pointer.cast()) }?;
            to.add(Field::<kind::Nested>::new(number), &inner.view())
        }
        None => return Err(format!("field {number} has a type that only Enduro/X knows")),
    };
    added.map_err(|error: UbfError| error.to_string())
}

fn sized<const SIZE: usize>(bytes: &[u8]) -> Result<[u8; SIZE], String> {
    bytes.try_into().map_err(|_| format!("a field has {} bytes instead of {SIZE}", bytes.len()))
}
