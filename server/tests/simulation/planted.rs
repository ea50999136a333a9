//! Bugs that were once found by the simulation, as patches; `server/tests/simulation/plant` reintroduces each and
//! counts the seeds needed to find it.

use std::path::Path;

/// The lines that a hunk expects to find.
fn needed(hunk: &str) -> String {
    let lines = hunk.lines().skip(1).filter(|line| !line.starts_with('+'));
    lines.map(|line| format!("{}\n", line.get(1..).unwrap_or_default())).collect()
}

#[test]
fn every_planted_fault_can_still_be_planted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut stale = Vec::new();
    let mut hunks = 0;
    for file in std::fs::read_dir(root.join("tests/simulation/planted")).unwrap() {
        let path = file.unwrap().path();
        let diff = std::fs::read_to_string(&path).unwrap();
        for part in format!("\n{diff}").split("\n--- a/").skip(1) {
            let (name, rest) = part.split_once('\n').unwrap();
            // All patched files are in this crate, which may have been unpacked alone.
            let source = root.join(name.strip_prefix("server/").unwrap());
            let source = std::fs::read_to_string(source).unwrap();
            let rest = rest.split("\ndiff --git ").next().unwrap();
            for hunk in rest.split("\n@@ ").skip(1) {
                hunks += 1;
                if !source.contains(&needed(hunk)) {
                    stale.push(format!("{} in {name}: {hunk}", path.display()));
                }
            }
        }
    }
    assert!(hunks >= 7, "only {hunks} changes were found");
    assert!(stale.is_empty(), "the sources have changed, draw these again:\n{}", stale.join("\n"));
}
