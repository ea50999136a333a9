//! From JSON to typed requests, with messages that speak of JSON and not of Rust.

use crate::refusal::Refusal;
use rules::game::shorten;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Reads JSON, or says what is wrong with it and where.
pub fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(refusal)?;
    json.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

/// Reads the fields of an object, all of which must be among those that are known.
pub fn fields<T: DeserializeOwned>(
    fields: Map<String, Value>,
    known: &[&str],
) -> Result<T, Refusal> {
    if let Some(unknown) = fields.keys().find(|key| !known.contains(&key.as_str())) {
        let message = format!("unknown field, expected one of {}", known.join(", "));
        return Err(Refusal::not_understood(message).at(shorten(unknown)));
    }
    // A field that is null is a field that was left out.
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null()).collect();
    serde_path_to_error::deserialize(Value::Object(fields)).map_err(refusal)
}

fn refusal(error: serde_path_to_error::Error<serde_json::Error>) -> Refusal {
    let path = error.path().to_string();
    let inner = error.into_inner();
    if !inner.is_data() {
        return not_json(&inner);
    }
    let refusal = Refusal::not_understood(plain(&inner.to_string()));
    if path == "." { refusal } else { refusal.at(shorten(&path)) }
}

fn not_json(error: &serde_json::Error) -> Refusal {
    Refusal::not_understood(format!("not JSON: {}", one_line(&error.to_string())))
}

/// The words of a reader that thinks in types of Rust, and what people call these.
const WORDS: [(&str, &str); 14] = [
    ("a sequence", "a list"),
    ("sequence", "a list"),
    ("a map", "an object"),
    ("map", "an object"),
    ("a string", "a text"),
    ("string", "the text"),
    ("a boolean", "true or false"),
    ("integer", "the number"),
    ("floating point", "the number"),
    ("boolean", "the word"),
    ("usize", "a whole number"),
    ("u64", "a whole number"),
    ("u8", "a whole number"),
    ("i64", "a whole number"),
];

/// A reader's message in the words of the language: what was expected before what was read.
fn plain(message: &str) -> String {
    let text = one_line(message);
    let told = text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: "));
    let Some((got, expected)) = told.and_then(|told| told.rsplit_once(", expected ")) else {
        return text;
    };
    let is_type = expected.starts_with("struct ") || expected.contains("enum ");
    let expected = if is_type { "an object" } else { expected };
    format!("expected {}, got {}", people_call(expected), people_call(got))
}

fn people_call(text: &str) -> String {
    let known = WORDS.iter().find_map(|(word, plain)| {
        let rest = text.strip_prefix(word)?;
        (rest.is_empty() || rest.starts_with(' ')).then(|| format!("{plain}{rest}"))
    });
    known.unwrap_or_else(|| text.to_owned())
}

/// A message that may quote foreign text, cut to a line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(240).collect()
}

/// A number as it was sent, whatever it is: it is judged where its bounds are known.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Amount(Value);

impl From<u64> for Amount {
    fn from(number: u64) -> Amount {
        Amount(number.into())
    }
}

impl Amount {
    /// The number, from 1 to the most that is allowed.
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
    use crate::refusal::Kind;

    #[test]
    fn messages_name_no_types_of_rust() {
        #[derive(Debug, Deserialize)]
        #[allow(dead_code)]
        struct Thing {
            cell: usize,
            inner: Option<Inner>,
        }
        #[derive(Debug, Deserialize)]
        #[allow(dead_code)]
        struct Inner {
            list: Vec<String>,
        }
        let message = |text: &str| {
            let refusal = json::<Thing>(text.as_bytes()).unwrap_err();
            format!("{}: {}", refusal.field.unwrap_or_default(), refusal.message)
        };
        let told = [
            (r#"{"cell":-1}"#, "cell: expected a whole number, got the number `-1`"),
            (r#"{"cell":1,"inner":5}"#, "inner: expected an object, got the number `5`"),
            (r#"{"cell":1,"inner":{"list":{}}}"#, "inner.list: expected a list, got an object"),
            (
                r#"{"cell":1,"inner":{"list":[1]}}"#,
                "inner.list[0]: expected a text, got the number",
            ),
            ("{}", ": missing field `cell`"),
            ("[", ": not JSON: "),
        ];
        for (text, expected) in told {
            assert!(message(text).starts_with(expected), "{}", message(text));
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
