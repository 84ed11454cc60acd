//! Numbers as text, as Python and NumPy write them.

/// From which size on, and below which, floats are written without an exponent.
#[derive(Clone, Copy, Debug)]
pub struct Positional {
    /// The minimum absolute value.
    pub least: f64,
    /// The minimum absolute value that has an exponent again.
    pub beyond: f64,
}

impl Positional {
    /// As Python has it for its own floats.
    pub const PYTHON: Positional = Positional { least: 1e-4, beyond: 1e16 };
}

/// Appends the shortest text that reads back as the same finite float: `1.0`, `0.1`, `1e-05`, `1e+16`.
#[inline]
pub(crate) fn write_float<F: zmij::Float + Into<f64> + Copy>(number: F, plain: Positional, out: &mut Vec<u8>) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(number).as_bytes();
    let size = number.into().abs();
    // Within these bounds what was made has no exponent, and is what Python makes.
    if (1e-4..1e12).contains(&size) && size >= plain.least && size < plain.beyond || size == 0.0 {
        out.extend_from_slice(text);
        return;
    }
    respell(text, (plain.least..plain.beyond).contains(&size), out);
}

/// The same number with an exponent, or without one.
#[cold]
fn respell(text: &[u8], positional: bool, out: &mut Vec<u8>) {
    let (sign, text) = text.strip_prefix(b"-").map_or((&b""[..], text), |rest| (&b"-"[..], rest));
    let (mantissa, exponent) = match text.iter().position(|&c| c == b'e') {
        Some(at) => (&text[..at], std::str::from_utf8(&text[at + 1..]).ok().and_then(|e| e.parse::<i32>().ok()).unwrap_or(0)),
        None => (text, 0),
    };
    let point = mantissa.iter().position(|&c| c == b'.').unwrap_or(mantissa.len()) as i32;
    let mut digits: [u8; 40] = [0; 40];
    let mut length = 0;
    for &digit in mantissa.iter().filter(|&&c| c != b'.').take(digits.len()) {
        digits[length] = digit;
        length += 1;
    }
    let leading = digits[..length].iter().take_while(|&&c| c == b'0').count();
    let trailing = digits[leading..length].iter().rev().take_while(|&&c| c == b'0').count();
    let digits = &digits[leading..length - trailing];
    // The number is `digits` with a point after the first, times ten to this.
    let power = exponent + point - 1 - leading as i32;
    out.extend_from_slice(sign);
    if positional && power < 0 {
        out.extend_from_slice(b"0.");
        out.extend(std::iter::repeat_n(b'0', (-power - 1) as usize));
        out.extend_from_slice(digits);
    } else if positional {
        let whole = power as usize + 1;
        if digits.len() > whole {
            out.extend_from_slice(&digits[..whole]);
            out.push(b'.');
            out.extend_from_slice(&digits[whole..]);
        } else {
            out.extend_from_slice(digits);
            out.extend(std::iter::repeat_n(b'0', whole - digits.len()));
            out.extend_from_slice(b".0");
        }
    } else {
        out.push(digits[0]);
        if digits.len() > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        out.extend_from_slice(if power < 0 { b"e-" } else { b"e+" });
        let power = power.unsigned_abs();
        if power < 10 {
            out.push(b'0');
        }
        write_whole(power, out);
    }
}

/// Appends a finite float with `digits` digits after the point, as `%.2f` does.
#[inline]
pub(crate) fn write_fixed(number: f64, digits: usize, out: &mut Vec<u8>) {
    const POWERS: [f64; 7] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];
    if let Some(&power) = POWERS.get(digits) {
        let scaled = number.abs() * power;
        let whole = scaled.floor();
        let rest = scaled - whole;
        // Where the rest is not near a half it is plain which way it goes, whatever the product lost.
        if scaled < 1e9 && (rest - 0.5).abs() > 1e-6 {
            let units = whole as u64 + u64::from(rest > 0.5);
            if number.is_sign_negative() {
                out.push(b'-');
            }
            let power = power as u64;
            write_whole(units / power, out);
            if digits > 0 {
                out.push(b'.');
                write_padded(units % power, digits, out);
            }
            return;
        }
    }
    use std::io::Write as _;
    // Writing to memory does not fail.
    let _ = write!(out, "{number:.digits$}");
}

/// From here on floats have an exponent in JSON.
const LARGE: f64 = 1e16 - 1.0;
/// Below this they have one too.
const SMALL: f64 = 1e-15;

/// Appends a finite float with up to `digits` digits after the point, at most fifteen, as pandas does in JSON: `0.5`, `1.0`, and `1` where there are none. What
/// is left of it is computed as a float itself, and half of a last digit goes up from an odd digit, and from zero.
#[inline]
pub(crate) fn write_decimals(number: f64, digits: usize, out: &mut Vec<u8>) {
    const POWERS: [u64; 16] = {
        let mut powers = [1; 16];
        let mut at = 1;
        while at < 16 {
            powers[at] = powers[at - 1] * 10;
            at += 1;
        }
        powers
    };
    let size = number.abs();
    if size > LARGE || (size != 0.0 && size < SMALL) {
        write_exponent(number, digits, out);
        return;
    }
    let digits = digits.min(15);
    let mut whole = size as u64;
    let rest = (size - whole as f64) * POWERS[digits] as f64;
    let mut fraction = rest as u64;
    let half = rest - fraction as f64;
    if half > 0.5 || (half == 0.5 && (fraction == 0 || fraction % 2 == 1)) {
        fraction += 1;
    }
    if fraction >= POWERS[digits] {
        fraction = 0;
        whole += 1;
    }
    if number < 0.0 {
        out.push(b'-');
    }
    write_whole(whole, out);
    if digits == 0 {
        return;
    }
    out.push(b'.');
    let mut left = digits;
    while left > 1 && fraction.is_multiple_of(10) {
        fraction /= 10;
        left -= 1;
    }
    write_padded(fraction, left, out);
}

/// Appends a float with an exponent and `digits` significant digits, as `%.10g` does.
#[cold]
fn write_exponent(number: f64, digits: usize, out: &mut Vec<u8>) {
    let text = format!("{number:.*e}", digits.max(1) - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    out.extend_from_slice(mantissa.as_bytes());
    let (sign, power) = exponent.strip_prefix('-').map_or((b"e+", exponent), |power| (b"e-", power));
    out.extend_from_slice(sign);
    if power.len() < 2 {
        out.push(b'0');
    }
    out.extend_from_slice(power.as_bytes());
}

/// Appends an integer.
#[inline]
pub(crate) fn write_whole<I: itoa::Integer>(number: I, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends a number of `digits` digits, with zeros before it.
#[inline]
pub(crate) fn write_padded(number: u64, digits: usize, out: &mut Vec<u8>) {
    let mut left = number;
    let mut text = [b'0'; 20];
    for place in text[..digits].iter_mut().rev() {
        *place = b'0' + (left % 10) as u8;
        left /= 10;
    }
    out.extend_from_slice(&text[..digits]);
}

#[cfg(test)]
mod tests {
    use super::{Positional, write_decimals, write_fixed, write_float};

    fn text(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_are_written_as_python_writes_them() {
        for (number, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (100.0, "100.0"),
            (123456.789, "123456.789"),
            (1e12, "1000000000000.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e16, "1.5e+16"),
            (1e-4, "0.0001"),
            (9.5e-5, "9.5e-05"),
            (1e-5, "1e-05"),
            (1.234e-7, "1.234e-07"),
            (-1e300, "-1e+300"),
            (5e-324, "5e-324"),
            (9007199254740993.0, "9007199254740992.0"),
        ] {
            assert_eq!(text(|out| write_float(number, Positional::PYTHON, out)), expected);
        }
    }

    #[test]
    fn narrow_floats_have_an_exponent_where_they_are_told_to() {
        let plain = Positional { least: 1e-4, beyond: 1e6 };
        for (number, expected) in [(0.1_f32, "0.1"), (123_456_789.0, "1.2345679e+08"), (1e-5, "1e-05"), (999_999.0, "999999.0")] {
            assert_eq!(text(|out| write_float(number, plain, out)), expected);
        }
        assert_eq!(text(|out| write_float(1.5e14_f32, Positional::PYTHON, out)), "150000000000000.0");
    }

    #[test]
    fn floats_of_so_many_digits_are_rounded_by_their_exact_value() {
        for (number, expected) in [
            (0.125, "0.12"),
            (0.375, "0.38"),
            (2.675, "2.67"),
            (1.005, "1.00"),
            (-0.001, "-0.00"),
            (99.995, "100.00"),
            (1e22, "10000000000000000000000.00"),
            (0.0, "0.00"),
        ] {
            assert_eq!(text(|out| write_fixed(number, 2, out)), expected, "{number}");
        }
        assert_eq!(text(|out| write_fixed(2.5, 0, out)), "2");
        assert_eq!(text(|out| write_fixed(1.0, 9, out)), "1.000000000");
    }

    #[test]
    fn floats_are_written_in_json_as_pandas_writes_them() {
        for (number, digits, expected) in [
            (0.1, 10, "0.1"),
            (-0.0, 10, "0.0"),
            (-1e-12, 10, "-0.0"),
            (1.0, 10, "1.0"),
            (0.99999999999, 10, "1.0"),
            (123456.123456789, 10, "123456.123456789"),
            (1e15, 10, "1000000000000000.0"),
            (1e16, 10, "10000000000000000.0"),
            (1e17, 10, "1e+17"),
            (-1.25e-16, 10, "-1.25e-16"),
            (1.0 / 3.0, 3, "0.333"),
            (0.5, 0, "1"),
            (2.5, 0, "3"),
            (0.4, 0, "0"),
            (1e17, 0, "1e+17"),
            (123.456, 15, "123.456000000000003"),
        ] {
            assert_eq!(text(|out| write_decimals(number, digits, out)), expected, "{number}");
        }
    }
}
