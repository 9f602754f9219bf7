//! Formats columns of text.

use std::fmt;

/// The rows of a table, the headings first.
pub struct Table(Vec<Vec<String>>);

impl Table {
    /// Creates a table with these headings.
    pub fn new(heads: &[&str]) -> Table {
        Table(vec![heads.iter().map(|head| (*head).to_owned()).collect()])
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.0.push(cells.into());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width =
            |column: usize| self.0.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.0[0].len()).map(width).collect();
        for row in &self.0 {
            let cells: Vec<String> =
                row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }
}
