//! The part of the model for records.

use super::model::{Given, Tables, number, text};
use server::store::postgres::link::Fault;
use server::store::postgres::records::{BACKWARDS, CHANGE, CLEAR, CREATED, GET, RANGE};
use server::store::postgres::rows::{Cell, Cells, Row};
use tokio_postgres::error::SqlState;

/// The parameter types of statements about records; none for others.
pub fn types(sql: &str) -> Option<&'static str> {
    Some(match sql {
        CHANGE => "TTTTLTLTTT",
        GET => "T",
        RANGE | BACKWARDS | CLEAR => "ttl",
        CREATED => "",
        _ => return None,
    })
}

pub fn name(sql: &str) -> Option<&'static str> {
    Some(match sql {
        CHANGE => "change",
        GET => "get",
        RANGE | BACKWARDS => "range",
        CLEAR => "clear",
        _ => return None,
    })
}

pub fn writes(sql: &str) -> bool {
    [CHANGE, CLEAR].contains(&sql)
}

fn row((key, (value, version)): (&String, &(String, i64))) -> Row {
    Row(vec![text(key), text(value), number(Some(*version))])
}

impl Tables {
    /// Executes a statement about records.
    pub fn execute_records(
        &mut self,
        sql: &str,
        given: &Given<'_>,
    ) -> Option<Result<Cells, Fault>> {
        let between = |given: &Given<'_>| {
            let (after, before) = (given.text(1).to_owned(), given.text(2).to_owned());
            let most = usize::try_from(given.number(3)).unwrap_or(usize::MAX);
            (after, before, most)
        };
        Some(Ok(match sql {
            CREATED => vec![Row(vec![Cell::Bool(true)])],
            GET => {
                let mut keys: Vec<_> = given.texts(1).iter().flatten().collect();
                keys.sort_unstable();
                keys.dedup();
                keys.into_iter()
                    .filter_map(|key| self.records.get_key_value(key))
                    .map(row)
                    .collect()
            }
            RANGE | BACKWARDS | CLEAR => {
                let (after, before, most) = between(given);
                let own = self.records.iter().filter(|(key, _)| **key > after && **key < before);
                let rows: Vec<_> = match sql {
                    BACKWARDS => own.rev().take(most).map(row).collect(),
                    _ => own.take(most).map(row).collect(),
                };
                if sql == CLEAR {
                    let keys = rows.iter().map(|row| row.get::<String>(0));
                    let keys: Vec<_> = keys.collect();
                    keys.iter().for_each(|key| drop(self.records.remove(key)));
                    return Some(Ok(keys.iter().map(|key| Row(vec![text(key)])).collect()));
                }
                rows
            }
            CHANGE => return Some(self.change(given)),
            _ => return None,
        }))
    }

    fn change(&mut self, given: &Given<'_>) -> Result<Cells, Fault> {
        let refused = || Err(Fault::Refused(SqlState::DIVISION_BY_ZERO, "division by zero".into()));
        let rows = |i: usize| 0..given.texts(i).len();
        let at =
            |key: &str, version: i64| self.records.get(key).is_some_and(|own| own.1 == version);
        let fits = rows(1).all(|row| !self.records.contains_key(&given.string(1, row)))
            && rows(3).all(|row| at(&given.string(3, row), given.long(5, row)))
            && rows(6).all(|row| at(&given.string(6, row), given.long(7, row)));
        if !fits {
            return refused();
        }
        let put = rows(1).map(|row| (1, row)).chain(rows(3).map(|row| (3, row)));
        for (i, row) in put.chain(rows(8).map(|row| (8, row))) {
            let own = self.records.entry(given.string(i, row)).or_default();
            *own = (given.string(i + 1, row), own.1 + 1);
        }
        for (i, row) in rows(6).map(|row| (6, row)).chain(rows(10).map(|row| (10, row))) {
            self.records.remove(&given.string(i, row));
        }
        Ok(vec![Row(vec![Cell::Number(1)])])
    }
}
