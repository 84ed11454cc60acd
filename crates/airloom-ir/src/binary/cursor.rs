//! Numbers, flags and bytes of binary forms, written and read. What is read is not believed: a length is checked against the bytes that are left.

/// What is read, or what is wrong with it.
pub type Read<T> = Result<T, String>;

/// Bytes, and how many of them have been read.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning of some bytes.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    /// How many bytes have been read.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Nothing may be left over.
    pub fn end(&self) -> Read<()> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            left => Err(format!("{left} bytes are left over")),
        }
    }

    /// The next bytes.
    pub fn take(&mut self, length: usize) -> Read<&'a [u8]> {
        let end = self.at.checked_add(length).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| format!("expected {length} more bytes, found {}", self.bytes.len() - self.at))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// The next bytes, as many as an array has.
    pub fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        self.take(N).map(|bytes| bytes.try_into().expect("as many were taken"))
    }

    /// One byte.
    pub fn byte(&mut self) -> Read<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// True or false.
    pub fn flag(&mut self) -> Read<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(format!("expected 0 or 1, found {other}")),
        }
    }

    fn wide(&mut self) -> Read<u128> {
        let mut value: u128 = 0;
        for shift in (0..133).step_by(7) {
            let byte = self.byte()?;
            let bits = u128::from(byte & 0x7f);
            if shift > 0 && (bits << shift) >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a number is too long".into())
    }

    /// A number of 64 bits without a sign.
    pub fn varint(&mut self) -> Read<u64> {
        u64::try_from(self.wide()?).map_err(|_| "a number does not fit 64 bits".into())
    }

    /// A number of any size that integers of the graph have.
    pub fn signed(&mut self) -> Read<i128> {
        let raw = self.wide()?;
        Ok((raw >> 1) as i128 ^ -((raw & 1) as i128))
    }

    /// A number of 64 bits.
    pub fn int(&mut self) -> Read<i64> {
        i64::try_from(self.signed()?).map_err(|_| "a number does not fit 64 bits".into())
    }

    /// A count of things of at least `size` bytes each, which must all still fit into what is left.
    pub fn length(&mut self, size: usize) -> Read<usize> {
        let count = self.varint()?;
        let left = (self.bytes.len() - self.at) as u64;
        if count.saturating_mul(size as u64) > left {
            return Err(format!("a list of {count} is longer than the {left} bytes that are left"));
        }
        Ok(count as usize)
    }

    /// Bytes behind their length.
    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        let length = self.length(1)?;
        self.take(length)
    }

    /// A text behind its length.
    pub fn string(&mut self) -> Read<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| "a text is not UTF-8".into())
    }

    /// One of a closed list, by its number.
    pub fn one_of<T: Clone>(&mut self, all: &[T]) -> Read<T> {
        let at = self.byte()?;
        all.get(usize::from(at)).cloned().ok_or_else(|| format!("there is no choice {at} among {}", all.len()))
    }
}

/// Writes bytes behind their length.
pub fn write_bytes(out: &mut Vec<u8>, data: &[u8]) {
    write_varint(out, data.len() as u64);
    out.extend(data);
}

/// Writes a number without a sign.
pub fn write_varint(out: &mut Vec<u8>, value: u64) {
    write_wide(out, u128::from(value));
}

/// Writes a number whose sign is its lowest bit, so that small numbers of either sign are short.
pub fn write_signed(out: &mut Vec<u8>, value: i128) {
    write_wide(out, ((value << 1) ^ (value >> 127)) as u128);
}

/// Seven bits a byte, the lowest first.
fn write_wide(out: &mut Vec<u8>, mut value: u128) {
    while value >= 0x80 {
        out.push((value as u8) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
