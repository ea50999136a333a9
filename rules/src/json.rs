//! Typed values from JSON, with the path of whatever cannot be read.

use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess,
    SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Map, Value};
use std::cell::RefCell;
use std::fmt;

/// Why a value could not be read.
#[derive(Debug)]
pub struct Misread {
    /// Its path: `board[2][0]`; empty for the whole value.
    pub path: String,
    /// What was expected and what was read.
    pub error: Error,
}

/// Reads a value.
///
/// ```
/// use serde_json::json;
/// let misread = rules::json::read::<Vec<Vec<u8>>>(json!([[1], [2, "x"]])).unwrap_err();
/// assert_eq!(misread.path, "[1][1]");
/// ```
pub fn read<T: DeserializeOwned>(value: Value) -> Result<T, Misread> {
    let failed = RefCell::new(None);
    T::deserialize(Reader { value, at: Place::Whole, failed: &failed })
        .map_err(|error| Misread { path: failed.into_inner().unwrap_or_default(), error })
}

/// The path of a value.
#[derive(Clone, Copy)]
enum Place<'a> {
    Whole,
    Field(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Field(Place::Whole, name) => write!(f, "{name}"),
            Place::Field(outer, name) => write!(f, "{outer}.{name}"),
            Place::Item(outer, index) => write!(f, "{outer}[{index}]"),
        }
    }
}

/// The path of the innermost value that could not be read.
type Failed = RefCell<Option<String>>;

fn note<T>(failed: &Failed, at: &Place, read: Result<T, Error>) -> Result<T, Error> {
    if read.is_err() {
        note_place(failed, at);
    }
    read
}

// Separate from `note`, which is compiled for each type.
fn note_place(failed: &Failed, at: &Place) {
    failed.borrow_mut().get_or_insert_with(|| at.to_string());
}

/// Not generic over the format: that would be compiled for each type.
struct Reader<'a> {
    value: Value,
    at: Place<'a>,
    failed: &'a Failed,
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Reader { value, at, failed } = self;
        let read = match value {
            Value::Array(items) => {
                let mut items = Items { rest: items.into_iter(), index: 0, at: &at, failed };
                let read = visitor.visit_seq(&mut items);
                let (all, rest) = (items.index + items.rest.len(), items.rest.len());
                let short = || Error::invalid_length(all, &"fewer elements in array");
                if rest == 0 { read } else { read.and_then(|_| Err(short())) }
            }
            Value::Object(fields) => {
                let mut fields = Fields { rest: fields.into_iter(), next: None, at: &at, failed };
                visitor.visit_map(&mut fields)
            }
            Value::String(text) => visitor.visit_string(text),
            plain => plain.deserialize_any(visitor),
        };
        note(failed, &at, read)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        note(self.failed, &self.at, self.value.deserialize_enum(name, variants, visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'a> {
    rest: std::vec::IntoIter<Value>,
    index: usize,
    at: &'a Place<'a>,
    failed: &'a Failed,
}

impl<'de> SeqAccess<'de> for &mut Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(value) = self.rest.next() else { return Ok(None) };
        let at = Place::Item(self.at, self.index);
        self.index += 1;
        let read = seed.deserialize(Reader { value, at, failed: self.failed });
        note(self.failed, &at, read).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Fields<'a> {
    rest: <Map<String, Value> as IntoIterator>::IntoIter,
    next: Option<(String, Value)>,
    at: &'a Place<'a>,
    failed: &'a Failed,
}

impl Fields<'_> {
    /// Advances to the next field and returns its name.
    fn advance(&mut self) -> Option<String> {
        self.next = self.rest.next();
        self.next.as_ref().map(|(name, _)| name.clone())
    }
}

impl<'de> MapAccess<'de> for &mut Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some(name) = self.advance() else { return Ok(None) };
        let key: StringDeserializer<Error> = name.clone().into_deserializer();
        note(self.failed, &Place::Field(self.at, &name), seed.deserialize(key)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let (name, value) =
            self.next.take().ok_or_else(|| Error::custom("a value before its name"))?;
        let at = Place::Field(self.at, &name);
        // Types that are read in two steps fail after their reader has finished.
        let read = seed.deserialize(Reader { value, at, failed: self.failed });
        note(self.failed, &at, read)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}
