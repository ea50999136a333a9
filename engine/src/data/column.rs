//! Columns of values, and tables of them.

/// One column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Small numbers.
    I8(Vec<i8>),
    /// Numbers.
    I32(Vec<i32>),
    /// Indices.
    I64(Vec<i64>),
    /// Shares.
    F32(Vec<f32>),
    /// Texts.
    Text(Vec<String>),
}

impl Column {
    /// How many rows it has.
    pub fn len(&self) -> usize {
        match self {
            Column::I8(all) => all.len(),
            Column::I32(all) => all.len(),
            Column::I64(all) => all.len(),
            Column::F32(all) => all.len(),
            Column::Text(all) => all.len(),
        }
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Columns with their names.
pub type Columns = Vec<(&'static str, Column)>;

/// Columns of which each row of a table has several values.
#[derive(Clone, Debug, PartialEq)]
pub struct Lists {
    /// Where NumPy's archives keep the places at which rows begin.
    pub name: &'static str,
    /// The place at which the values of each row begin, and the end: one more than rows.
    pub from: Vec<i64>,
    /// The values.
    pub columns: Columns,
}

/// Rows of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What they are, in a word: part of the name of a file.
    pub kind: &'static str,
    /// One value for each row; all have the same length.
    pub columns: Columns,
    /// Several values for each row.
    pub lists: Option<Lists>,
}

impl Table {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }
}
