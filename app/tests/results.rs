//! The rows of `docs/results.md`, found again: each command in a table says what its row says, and writes a certificate of
//! that size, which holds. The quick ones always, all with `QUADRILLE_LONG=1`.

use std::path::Path;
use std::process::Command;

/// The cells of each row of a table that has a command of `solve`, and the command.
fn rows() -> Vec<(String, Vec<String>)> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/results.md");
    let text = std::fs::read_to_string(file).unwrap();
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<String> = line.trim_matches('|').split('|').map(str::to_owned).collect();
        let Some((_, rest)) = line.split_once("`quadrille solve ") else { continue };
        rows.push((rest.split('`').next().unwrap().to_owned(), cells));
    }
    rows
}

/// The number before a word in a cell, without its commas.
fn before(cell: &str, word: &str) -> Option<String> {
    let (head, _) = cell.split_once(word)?;
    let digits: String =
        head.chars().rev().take_while(|c| c.is_ascii_digit() || *c == ',' || *c == '.').collect();
    let digits: String = digits.chars().rev().filter(|c| *c != ',').collect();
    (!digits.is_empty()).then_some(digits)
}

/// The processor time that a row names, in seconds.
fn effort(cells: &[String]) -> f64 {
    cells.iter().find_map(|cell| before(cell, " s")?.parse().ok()).unwrap_or(f64::MAX)
}

/// What `solve` prints about the result that a row states.
fn result(row: &str) -> Option<String> {
    if row.contains("nobody wins") {
        return Some("nobody can force a win".to_owned());
    }
    let (head, rest) = row.split_once(" wins in ")?;
    let player = head.rsplit(|c: char| !c.is_alphanumeric()).next()?;
    let turns: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let most = if rest[turns.len()..].starts_with(" turns at most") { " at most" } else { "" };
    Some(format!("{player} wins in {turns} turns{most}:"))
}

#[test]
fn every_row_is_found_again_by_its_command() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("results");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let (mut all, mut compared) = (0, 0);
    for (command, cells) in rows() {
        let row = cells.join("|");
        let Some(expected) = result(&row) else { continue };
        all += 1;
        // The tests are built with less optimisation than what the document measured.
        if effort(&cells) > 0.15 && !crate::is_long() {
            continue;
        }
        let mut words: Vec<&str> = command.split(' ').collect();
        // Not even a busy machine may stop it.
        words.extend(["--cpu", "100000"]);
        if !words.contains(&"-o") && !words.contains(&"--complete") {
            words.extend(["-o", "proof.gz"]);
        }
        let solve = Command::new(env!("CARGO_BIN_EXE_quadrille"))
            .arg("solve")
            .args(words)
            .current_dir(&folder)
            .output()
            .unwrap();
        let told = String::from_utf8(solve.stdout).unwrap();
        assert!(told.contains(&expected), "`{command}` says\n{told}\nthe row says {row}");
        let certificate = cells.iter().find(|cell| cell.contains(" KB") || cell.contains(" bytes"));
        if let Some(cell) = certificate {
            let stored: u64 = match cell.split_once(" + ") {
                None => before(cell, " positions").unwrap().parse().unwrap(),
                Some((one, two)) => {
                    let (one, two) = (format!("{one} positions"), before(two, " positions"));
                    let number = |text: Option<String>| text.unwrap().parse::<u64>().unwrap();
                    number(before(&one, " positions")) + number(two)
                }
            };
            let of_file = told.lines().find(|line| line.starts_with("proof.gz: ")).unwrap();
            let bytes: u64 = before(of_file, " bytes").unwrap().parse().unwrap();
            assert_eq!(before(of_file, " stored").unwrap(), stored.to_string(), "{row}\n{told}");
            if let Some(size) = before(cell, " KB") {
                assert_eq!(((bytes + 500) / 1000).to_string(), size, "{row}\n{told}");
            }
            let verify = Command::new(env!("CARGO_BIN_EXE_quadrille"))
                .args(["verify", "proof.gz"])
                .current_dir(&folder)
                .output()
                .unwrap();
            assert!(verify.status.success(), "{row}\n{verify:?}");
        }
        compared += 1;
    }
    assert!(all >= 12 && compared >= 3, "{compared} of {all} rows");
}

/// Between two marks, the document has what the program prints of its atlas.
#[test]
fn the_tables_of_the_atlas_are_those_of_the_program() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/results.md");
    let text = std::fs::read_to_string(file).unwrap();
    let (_, rest) = text.split_once("<!-- the atlas -->\n").unwrap();
    let (printed, _) = rest.split_once("<!-- end -->").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_quadrille")).args(["atlas", "--table"]).output();
    let tables = String::from_utf8(output.unwrap().stdout).unwrap();
    assert_eq!(printed.trim(), tables.trim(), "`quadrille atlas --table` prints something else");
}
