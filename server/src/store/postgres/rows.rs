//! The rows of an answer as plain values, which a simulated database can produce, too.

use super::link::Fault;
use tokio_postgres::types::Type;

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    Null,
    Bool(bool),
    Number(i64),
    Text(String),
    Texts(Vec<String>),
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(pub Vec<Cell>);

/// All rows of an answer.
pub type Cells = Vec<Row>;

impl Row {
    /// Reads a row that the database sent.
    pub fn read(row: &tokio_postgres::Row) -> Result<Row, Fault> {
        let cell = |(i, column): (usize, &tokio_postgres::Column)| {
            let cell = match *column.type_() {
                Type::BOOL => row.try_get::<_, Option<bool>>(i)?.map(Cell::Bool),
                Type::INT2 => row.try_get::<_, Option<i16>>(i)?.map(|n| Cell::Number(n.into())),
                Type::INT4 => row.try_get::<_, Option<i32>>(i)?.map(|n| Cell::Number(n.into())),
                Type::INT8 => row.try_get::<_, Option<i64>>(i)?.map(Cell::Number),
                Type::TEXT_ARRAY => row.try_get::<_, Option<Vec<String>>>(i)?.map(Cell::Texts),
                _ => row.try_get::<_, Option<String>>(i)?.map(Cell::Text),
            };
            Ok(cell.unwrap_or(Cell::Null))
        };
        row.columns().iter().enumerate().map(cell).collect::<Result<_, Fault>>().map(Row)
    }

    /// The value of a column; the default of its type if the column is missing or of another type.
    pub fn get<T: Value>(&self, column: usize) -> T {
        T::read(self.0.get(column).unwrap_or(&Cell::Null))
    }
}

/// A type that a column is read as.
pub trait Value {
    fn read(cell: &Cell) -> Self;
}

impl Value for bool {
    fn read(cell: &Cell) -> bool {
        matches!(cell, Cell::Bool(true))
    }
}

impl Value for i64 {
    fn read(cell: &Cell) -> i64 {
        if let Cell::Number(number) = cell { *number } else { 0 }
    }
}

impl Value for String {
    fn read(cell: &Cell) -> String {
        if let Cell::Text(text) = cell { text.clone() } else { String::new() }
    }
}

impl Value for Vec<String> {
    fn read(cell: &Cell) -> Vec<String> {
        if let Cell::Texts(texts) = cell { texts.clone() } else { Vec::new() }
    }
}

impl<T: Value> Value for Option<T> {
    fn read(cell: &Cell) -> Option<T> {
        (*cell != Cell::Null).then(|| T::read(cell))
    }
}
