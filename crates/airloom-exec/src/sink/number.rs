//! Floats as text, as Python writes them.

/// The shortest text that reads back as the same float: `1.0`, `0.1`, `1e-05`, `1e+16`.
pub(crate) fn float_text(digits_of: String, text: &mut String) {
    // `{:e}` gives the shortest digits and the exponent: `1e-5`, `1.25e3`.
    let Some((digits, exponent)) = digits_of.split_once('e') else {
        text.push_str(&digits_of);
        return;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let plain: String = digits.chars().filter(|c| *c != '.').collect();
    text.push_str(sign);
    match exponent {
        -4..=-1 => {
            text.push_str("0.");
            text.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
            text.push_str(&plain);
        }
        0..16 => {
            let whole = exponent as usize + 1;
            if plain.len() > whole {
                text.push_str(&plain[..whole]);
                text.push('.');
                text.push_str(&plain[whole..]);
            } else {
                text.push_str(&plain);
                text.extend(std::iter::repeat_n('0', whole - plain.len()));
                text.push_str(".0");
            }
        }
        _ => {
            text.push_str(digits);
            let sign = if exponent < 0 { '-' } else { '+' };
            text.push_str(&format!("e{sign}{:02}", exponent.abs()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::float_text;

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
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e16, "1.5e+16"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (1.234e-7, "1.234e-07"),
            (1e300, "1e+300"),
            (5e-324, "5e-324"),
            (9007199254740993.0, "9007199254740992.0"),
        ] {
            let mut text = String::new();
            float_text(format!("{number:e}"), &mut text);
            assert_eq!(text, expected);
        }
    }
}
