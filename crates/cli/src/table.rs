//! Formats columns of text.

use std::fmt;

/// The least width to which a column shrinks.
const SHRUNK_MIN: usize = 6;

/// The rows of a table, the headings first.
pub struct Table(Vec<Vec<String>>);

/// Returns the columns of the terminal that stdout is; `None` if it is none.
pub fn terminal_columns() -> Option<usize> {
    terminal_size().map(|(columns, _)| columns)
}

fn terminal_size() -> Option<(usize, usize)> {
    // SAFETY: `size` is a local, valid for writes.
    let size = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        let found = libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &raw mut size);
        (found == 0).then_some(size)
    };
    size.filter(|size| size.ws_col > 0 && size.ws_row > 0)
        .map(|size| (usize::from(size.ws_col), usize::from(size.ws_row)))
}

/// Cuts a text to the terminal that stdout is, so that no line wraps and the first ones stay.
pub fn fitted(text: &str) -> String {
    terminal_size()
        .map_or_else(|| text.to_owned(), |(columns, rows)| fitted_to(text, columns, rows))
}

/// Cuts a text to so many columns and rows. The last row is left to the cursor, the one before says
/// how many lines are left out.
fn fitted_to(text: &str, columns: usize, rows: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let room = rows.saturating_sub(1).max(1);
    let shown = if lines.len() > room { room - 1 } else { lines.len() };
    let left = lines.len() - shown;
    let more = (left > 0).then(|| format!("… {left} more lines"));
    let shown = lines.iter().take(shown).map(|line| (*line).to_owned());
    shown.chain(more).map(|line| cut(&line, columns) + "\n").collect()
}

/// Cuts a text to a number of characters, and marks the cut.
pub fn cut(text: &str, characters_max: usize) -> String {
    if text.chars().count() <= characters_max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(characters_max.saturating_sub(1)).collect();
    kept + "…"
}

impl Table {
    /// Creates a table with these headings.
    pub fn new(heads: &[&str]) -> Table {
        Table(vec![heads.iter().map(|head| (*head).to_owned()).collect()])
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.0.push(cells.into());
    }

    fn width(&self, column: usize) -> usize {
        self.0.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    }

    /// Cuts cells of the `elastic` columns, the widest first, until the table has at most `columns`
    /// characters a line or these columns cannot shrink further.
    pub fn fit(&mut self, columns: usize, elastic: &[usize]) {
        let count = self.0[0].len();
        loop {
            let total: usize =
                (0..count).map(|column| self.width(column)).sum::<usize>() + 2 * (count - 1);
            let widest = elastic.iter().copied().max_by_key(|column| self.width(*column));
            let Some(widest) = widest.filter(|_| total > columns) else { return };
            let width = self.width(widest);
            if width <= SHRUNK_MIN {
                return;
            }
            let shrunk = width.saturating_sub(total - columns).max(width - 1).max(SHRUNK_MIN);
            self.0.iter_mut().for_each(|row| row[widest] = cut(&row[widest], shrunk));
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths: Vec<usize> = (0..self.0[0].len()).map(|column| self.width(column)).collect();
        for row in &self.0 {
            let cells: Vec<String> =
                row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_fits_its_terminal() {
        assert_eq!(fitted_to("one\ntwo words\n", 6, 3), "one\ntwo w…\n");
        assert_eq!(fitted_to("one\ntwo\nthree\nfour\n", 40, 4), "one\ntwo\n… 2 more lines\n");
        assert_eq!(fitted_to("one\ntwo\n", 40, 1), "… 2 more lines\n");
    }

    #[test]
    fn a_table_fits_its_terminal_by_the_columns_that_may_shrink() {
        let mut table = Table::new(&["NODE", "GPU", "NAME"]);
        table.row(["a-node-with-a-long-name".into(), "0".into(), "NVIDIA H200".into()]);
        table.row(["n".into(), "10".into(), "Ünïcödé".into()]);
        table.fit(24, &[0]);
        let text = table.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 24), "{text}");
        assert!(text.contains("a-nod…") && text.contains("NVIDIA H200"), "{text}");
        table.fit(5, &[0, 2]);
        assert!(table.to_string().lines().all(|line| line.chars().count() <= 19), "no further");
    }
}
