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

/// List columns: each row of a table has several values.
#[derive(Clone, Debug, PartialEq)]
pub struct Lists {
    /// The name of the offsets in NumPy archives.
    pub name: &'static str,
    /// The offset of each row's values, then their total number.
    pub from: Vec<i64>,
    /// The values.
    pub columns: Columns,
}

/// Rows of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The kind in one word, which is part of a file's name.
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
