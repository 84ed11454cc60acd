//! Texts, with what is escaped in them.

use memchr::memchr2;

/// Appends the text that begins here, after its opening quote: how many bytes it has, with its closing quote. The bytes are Unicode.
pub(super) fn text(bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, &'static str> {
    let mut at = 0;
    loop {
        let plain = memchr2(b'"', b'\\', &bytes[at..]).ok_or("a text that is never closed")?;
        out.extend_from_slice(&bytes[at..at + plain]);
        at += plain;
        if bytes[at] == b'"' {
            return Ok(at + 1);
        }
        at += escape(&bytes[at + 1..], out)? + 1;
    }
}

/// Appends what is escaped here, after the backslash: how many bytes say it.
fn escape(bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, &'static str> {
    let plain = match bytes.first() {
        Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'u') => return unicode(&bytes[1..], out).map(|length| length + 1),
        _ => return Err("something escaped that JSON does not know"),
    };
    out.push(plain);
    Ok(1)
}

fn unicode(bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, &'static str> {
    let wrong = "half of a character";
    let first = four(bytes).ok_or(wrong)?;
    let (code, length) = match first {
        0xd800..0xdc00 => {
            let second = bytes.get(4..6).filter(|word| *word == b"\\u").and_then(|_| four(&bytes[6..])).ok_or(wrong)?;
            let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400).ok_or(wrong)?;
            (0x10000 + ((first - 0xd800) << 10) + low, 10)
        }
        _ => (first, 4),
    };
    let letter = char::from_u32(code).ok_or(wrong)?;
    out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(length)
}

/// The number that four digits of base sixteen say.
fn four(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(..4)?;
    digits.iter().try_fold(0, |value, digit| Some(value * 16 + (*digit as char).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn texts_are_what_they_say() {
        for (written, expected) in [
            (r#"""#, ""),
            (r#"abc" "#, "abc"),
            (r#"\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r#"x\u00e4\u20AC\ud83d\ude00y""#, "xä€😀y"),
        ] {
            let mut out = Vec::new();
            text(written.as_bytes(), &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        for wrong in ["", "a", r#"\""#, r#"\x""#, r#"\u12""#, r#"\ud83d""#, r#"\ud83d\u0041""#, r#"\ude00""#] {
            assert!(text(wrong.as_bytes(), &mut Vec::new()).is_err(), "{wrong}");
        }
    }
}
