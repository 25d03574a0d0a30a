use ubf::Buffer;

/// The type of a buffer, as XATMI names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum PayloadType {
    /// No data.
    Null = 0,
    /// UTF-8 text.
    Text = 1,
    /// A typed fielded buffer.
    Ubf = 2,
}

impl PayloadType {
    /// None where no type has this number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        [Self::Null, Self::Text, Self::Ubf].into_iter().find(|each| *each as u8 == number)
    }
}

/// A typed buffer as it travels. What is received is not checked: the reader parses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// The type of the bytes.
    pub payload_type: PayloadType,
    /// The buffer's bytes.
    pub bytes: Vec<u8>,
}

impl Payload {
    /// No data.
    #[must_use]
    pub fn null() -> Self {
        Self { payload_type: PayloadType::Null, bytes: Vec::new() }
    }

    /// Text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { payload_type: PayloadType::Text, bytes: text.into().into_bytes() }
    }

    /// A fielded buffer.
    #[must_use]
    pub fn ubf(buffer: Buffer) -> Self {
        Self { payload_type: PayloadType::Ubf, bytes: buffer.into_bytes() }
    }

    /// The number of its type, and its bytes.
    #[must_use]
    pub fn to_tagged(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(1 + self.bytes.len());
        bytes.push(self.payload_type as u8);
        bytes.extend_from_slice(&self.bytes);
        bytes
    }

    /// The payload of [`Payload::to_tagged`]; None where no type has the number.
    #[must_use]
    pub fn from_tagged(bytes: &[u8]) -> Option<Self> {
        let (number, rest) = bytes.split_first()?;
        Some(Self { payload_type: PayloadType::from_number(*number)?, bytes: rest.to_vec() })
    }
}
