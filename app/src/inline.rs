//! Pictures inside a terminal, by the protocols of kitty and of iTerm2.

/// How much of a picture one escape sequence of kitty's protocol may carry.
const CHUNK: usize = 4096;

/// A PNG as kitty's protocol sends it: in parts, of which the first says what it is.
pub fn kitty(png: &[u8]) -> Vec<u8> {
    let text = base64(png);
    let chunks: Vec<&[u8]> = text.as_bytes().chunks(CHUNK).collect();
    let mut out = Vec::new();
    for (i, chunk) in chunks.iter().enumerate() {
        let more = u8::from(i + 1 < chunks.len());
        let first = if i == 0 { "f=100,a=T," } else { "" };
        out.extend(format!("\x1b_G{first}m={more};").into_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\x1b\\");
    }
    out.push(b'\n');
    out
}

/// A PNG as iTerm2's protocol sends it.
pub fn iterm(png: &[u8]) -> Vec<u8> {
    format!("\x1b]1337;File=inline=1;size={}:{}\x07\n", png.len(), base64(png)).into_bytes()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let number = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_letters_as_the_standard_says() {
        let words = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(words.map(|word| base64(word.as_bytes())), expected);
    }

    #[test]
    fn a_large_picture_is_sent_in_parts_of_which_the_last_says_so() {
        let sent = String::from_utf8(kitty(&[7; 10_000])).unwrap();
        assert!(sent.starts_with("\x1b_Gf=100,a=T,m=1;"));
        assert_eq!(sent.matches("\x1b_G").count(), 4);
        assert_eq!(sent.matches("m=0;").count(), 1);
        assert!(iterm(b"foo").ends_with(b"size=3:Zm9v\x07\n"));
    }
}
