//! Reading typed requests from JSON, with error messages in JSON's terms rather than Rust's.

use rules::game::shorten;
use rules::json::{self, Misread};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use table::Refusal;

/// Reads JSON, or explains what is wrong with it and where.
pub fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    json::read(serde_json::from_slice(bytes).map_err(|error| not_json(&error))?).map_err(refusal)
}

/// Reads a value from the fields of an object; unknown fields are refused.
pub fn fields<T: DeserializeOwned>(
    fields: Map<String, Value>,
    known: &[&str],
) -> Result<T, Refusal> {
    json::read(present(fields, known)?).map_err(refusal)
}

/// Drops null fields and refuses unknown ones. Not generic, so that it is compiled only once: pages download this
/// code.
fn present(fields: Map<String, Value>, known: &[&str]) -> Result<Value, Refusal> {
    self::known(&fields, known)?;
    // A null field counts as left out.
    let there = fields.into_iter().filter(|(_, value)| !value.is_null());
    Ok(Value::Object(there.collect()))
}

/// Moves the named fields to an object of their own.
pub fn take(fields: &mut Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    names.iter().filter_map(|name| fields.shift_remove_entry(*name)).collect()
}

/// Refuses unknown fields.
pub fn known(fields: &Map<String, Value>, known: &[&str]) -> Result<(), Refusal> {
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        Some(unknown) => {
            let message = format!("unknown field, expected one of {}", known.join(", "));
            Err(Refusal::not_understood(message).at(shorten(unknown)))
        }
        None => Ok(()),
    }
}

fn refusal(Misread { path, error }: Misread) -> Refusal {
    let refusal = Refusal::not_understood(plain(&error.to_string()));
    if path.is_empty() { refusal } else { refusal.at(shorten(&path)) }
}

fn not_json(error: &serde_json::Error) -> Refusal {
    Refusal::not_understood(format!("not JSON: {}", one_line(&error.to_string())))
}

/// Rewrites a serde message in JSON's terms: first what was expected, then what was found, and no Rust types.
fn plain(message: &str) -> String {
    let text = one_line(message);
    // The field already gives the position.
    let text = text.split(" at line ").next().unwrap_or_default();
    if text.starts_with("data did not match any variant") {
        return "matches none of the accepted forms".to_owned();
    }
    let told = text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: "));
    match told.and_then(|told| told.rsplit_once(", expected ")) {
        Some((got, expected)) => format!("expected {}, got {}", wanted(expected), read(got)),
        None => text.replacen("unknown variant ", "unknown word ", 1),
    }
}

/// The JSON term for what serde expected.
fn wanted(expected: &str) -> &str {
    match expected.split(' ').next().unwrap_or_default() {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of at least 0",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "struct" | "internally" | "adjacently" | "map" => "an object",
        "enum" | "variant" => "a word",
        "unit" => "null",
        _ => match expected {
            "a map" => "an object",
            "a sequence" => "a list",
            "a string" => "a string",
            "a boolean" => "true or false",
            _ => expected,
        },
    }
}

/// The JSON term for what serde found.
fn read(got: &str) -> String {
    const WORDS: [(&str, &str); 6] = [
        ("sequence", "a list"),
        ("map", "an object"),
        ("string", "the string"),
        ("integer", "the number"),
        ("floating point", "the number"),
        ("boolean", "the value"),
    ];
    let known = WORDS.iter().find_map(|(word, plain)| Some((plain, got.strip_prefix(word)?)));
    known.map_or_else(|| got.to_owned(), |(plain, rest)| format!("{plain}{rest}"))
}

/// Cuts a message, which may quote untrusted text, to one short line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(240).collect()
}

/// A number exactly as it was sent; it is checked later, where its bounds are known.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Amount(Value);

impl From<u64> for Amount {
    fn from(number: u64) -> Amount {
        Amount(number.into())
    }
}

impl Amount {
    /// Checks that the number lies between 1 and `most`.
    pub fn within(&self, field: &str, most: u64) -> Result<u64, Refusal> {
        self.0.as_u64().filter(|n| (1..=most).contains(n)).ok_or_else(|| {
            let got = shorten(&self.0.to_string());
            let message = format!("expected a number from 1 to {most}, got {got}");
            let too_much = self.0.as_f64().is_some_and(|n| n > most as f64);
            let refuse = if too_much { Refusal::too_much } else { Refusal::against };
            refuse(message).at(field)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use table::Kind;

    #[test]
    fn messages_speak_of_json_and_not_of_types() {
        #[derive(Debug, Deserialize)]
        #[serde(tag = "kind", rename_all = "lowercase")]
        #[allow(dead_code)]
        enum Seat {
            Person,
            Level { level: u8 },
        }
        #[derive(Debug, Deserialize)]
        #[allow(dead_code)]
        struct Wanted {
            seq: Option<i64>,
            seats: Option<[Seat; 2]>,
            list: Option<Vec<String>>,
        }
        let told = [
            ("7", ": expected an object, got the number `7`"),
            (r#"{"seq":"x"}"#, "seq: expected a whole number, got the string \"x\""),
            (r#"{"list":7}"#, "list: expected a list, got the number `7`"),
            (r#"{"list":{}}"#, "list: expected a list, got an object"),
            (r#"{"list":[7]}"#, "list[0]: expected a string, got the number `7`"),
            (r#"{"seats":[{"kind":"level","level":300}]}"#, "seats[0]: expected a whole number"),
            (r#"{"seats":[{"kind":"level","level":"a"}]}"#, "seats[0]: expected a whole number"),
            (
                r#"{"seats":[{"kind":"cat"}]}"#,
                "seats[0].kind: unknown word `cat`, expected `person` or",
            ),
            (r#"{"seats":[3]}"#, "seats[0]: expected an object"),
            ("[", ": "),
        ];
        for (text, expected) in told {
            let refusal = json::<Wanted>(text.as_bytes()).unwrap_err();
            assert_eq!(refusal.kind, Kind::NotUnderstood);
            let said = format!("{}: {}", refusal.field.unwrap_or_default(), refusal.message);
            assert!(said.starts_with(expected), "{said}");
            for name in ["struct", "enum", "variant", "u8", "i64", "Seat", "Wanted", "map"] {
                assert!(!said.contains(name), "{said}");
            }
        }
    }

    #[test]
    fn amounts_have_bounds() {
        let kind = |value: Value| Amount(value).within("lines", 5).map_err(|refusal| refusal.kind);
        assert_eq!(kind(5.into()), Ok(5));
        assert_eq!(kind(6.into()), Err(Kind::TooMuch));
        assert_eq!(kind(0.into()), Err(Kind::AgainstTheRules));
        assert_eq!(kind(1.5.into()), Err(Kind::AgainstTheRules));
        assert_eq!(kind("x".into()), Err(Kind::AgainstTheRules));
    }
}
