use std::ffi::{CStr, CString, c_char, c_long};

use crate::library::Functions;

const TYPE_NAME: usize = 16;
const SUBTYPE_NAME: usize = 64;

/// A typed buffer that Enduro/X allocated, freed when it is dropped; without data where the pointer is null.
pub(crate) struct Typed {
    functions: &'static Functions,
    pointer: *mut c_char,
    /// Bytes that are used; Enduro/X knows it itself for all types but CARRAY.
    length: c_long,
}

impl Typed {
    /// No data.
    pub(crate) fn null(functions: &'static Functions) -> Self {
        Self { functions, pointer: std::ptr::null_mut(), length: 0 }
    }

    /// Room for so many bytes of a type.
    pub(crate) fn allocated(functions: &'static Functions, type_name: &CStr, bytes: usize) -> Result<Self, String> {
        let size = c_long::try_from(bytes).map_err(|_| "a buffer is too large")?;
        // SAFETY: the name ends with a zero byte, and no subtype is a null pointer.
        let pointer = unsafe { (functions.tpalloc)(type_name.as_ptr(), std::ptr::null(), size) };
        if pointer.is_null() {
            return Err(functions.words(functions.error()));
        }
        Ok(Self { functions, pointer, length: 0 })
    }

    /// A copy of bytes as CARRAY.
    pub(crate) fn carray(functions: &'static Functions, bytes: &[u8]) -> Result<Self, String> {
        // Enduro/X allocates nothing for a size of 0.
        let mut typed = Self::allocated(functions, c"CARRAY", bytes.len().max(1))?;
        // SAFETY: it has that much room, and was allocated just now.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), typed.pointer, bytes.len()) };
        typed.length = c_long::try_from(bytes.len()).map_err(|_| "a buffer is too large")?;
        Ok(typed)
    }

    /// A copy of a text as STRING.
    pub(crate) fn string(functions: &'static Functions, text: &CString) -> Result<Self, String> {
        let bytes = text.as_bytes_with_nul();
        let typed = Self::allocated(functions, c"STRING", bytes.len())?;
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), typed.pointer, bytes.len()) };
        Ok(typed)
    }

    /// Takes what a function of Enduro/X gave.
    ///
    /// # Safety
    /// The pointer must be null or a typed buffer with so many bytes that nothing else frees.
    pub(crate) unsafe fn of(functions: &'static Functions, pointer: *mut c_char, length: c_long) -> Self {
        Self { functions, pointer, length }
    }

    /// The buffer, which Enduro/X frees from now on, and its length.
    pub(crate) fn into_raw(self) -> (*mut c_char, c_long) {
        let raw = (self.pointer, self.length);
        std::mem::forget(self);
        raw
    }

    pub(crate) fn pointer(&self) -> *mut c_char {
        self.pointer
    }

    pub(crate) fn length(&self) -> c_long {
        self.length
    }

    /// For functions that put another buffer in its place.
    pub(crate) fn as_mut(&mut self) -> (&mut *mut c_char, &mut c_long) {
        (&mut self.pointer, &mut self.length)
    }

    /// The name of its type; empty without data.
    pub(crate) fn type_name(&self) -> String {
        if self.pointer.is_null() {
            return String::new();
        }
        let (mut name, mut subtype) = ([0; TYPE_NAME], [0; SUBTYPE_NAME]);
        // SAFETY: the names of types and subtypes have at most 8 and 33 characters.
        let known = unsafe { (self.functions.tptypes)(self.pointer, name.as_mut_ptr(), subtype.as_mut_ptr()) } >= 0;
        let bytes = name.iter().take_while(|byte| known && **byte != 0).map(|byte| byte.cast_unsigned());
        String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned()
    }

    /// The bytes of a STRING without the zero byte at its end.
    pub(crate) fn string_bytes(&self) -> &[u8] {
        // SAFETY: a STRING ends with a zero byte, and the buffer lives as long as what is returned.
        unsafe { CStr::from_ptr(self.pointer) }.to_bytes()
    }

    /// The bytes of a CARRAY.
    pub(crate) fn carray_bytes(&self) -> &[u8] {
        match usize::try_from(self.length) {
            // SAFETY: a CARRAY has so many bytes, and lives as long as what is returned.
            Ok(length @ 1..) if !self.pointer.is_null() => unsafe {
                std::slice::from_raw_parts(self.pointer.cast(), length)
            },
            _ => &[],
        }
    }
}

impl Drop for Typed {
    fn drop(&mut self) {
        if !self.pointer.is_null() {
            // SAFETY: it is freed here and nowhere else.
            unsafe { (self.functions.tpfree)(self.pointer) };
        }
    }
}
