//! ARCHITECTURE.md and CONTRIBUTING.md name what there is: every path that they name exists, and every module is named.
//!
//! A path is written from the root of the repository, or it is the end of one that exists. In a section whose heading
//! names a folder, such as "### `server/src`", that one lies in the folder.

use std::fs;
use std::path::{Path, PathBuf};

const DOCUMENTS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

const FOLDERS: [&str; 8] = [
    "rules/src",
    "engine/src",
    "table/src",
    "requests/src",
    "server/src",
    "server/web",
    "app/src",
    "python/src",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What stands in backticks.
fn spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Whether a span is the path of a file or a folder: it ends with a slash or with an ending of ours, and has no
/// placeholder.
fn is_path(span: &str) -> bool {
    const ENDINGS: [&str; 12] =
        ["rs", "js", "mjs", "md", "toml", "py", "pyi", "css", "json", "txt", "sh", "conf"];
    let plain = span.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let ending = span
        .rsplit_once('.')
        .is_some_and(|(name, ending)| !name.is_empty() && ENDINGS.contains(&ending));
    plain && !span.starts_with('/') && (span.ends_with('/') || ending)
}

/// The lines of a document outside of fenced blocks, each with the folder that its section is about.
fn lines(document: &str) -> Vec<(String, Option<String>)> {
    let text = fs::read_to_string(root().join(document)).unwrap();
    let (mut about, mut open, mut all) = (None, false, Vec::new());
    for line in text.lines() {
        open ^= line.starts_with("```");
        if line.starts_with('#') && !line.starts_with("####") && !open {
            about = spans(line).find(|span| root().join(span).is_dir()).map(str::to_owned);
        }
        if !open {
            all.push((line.to_owned(), about.clone()));
        }
    }
    all
}

/// Every file and folder below one, without what is built or installed.
fn below(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with('.') || ["target", "node_modules"].contains(&name.as_str()) {
            continue;
        }
        all.push(entry.path());
        if entry.file_type().unwrap().is_dir() {
            below(&entry.path(), all);
        }
    }
}

#[test]
fn every_path_in_the_documents_exists() {
    let mut all = Vec::new();
    below(&root(), &mut all);
    let (mut named, mut missing) = (0, Vec::new());
    for document in DOCUMENTS {
        for (line, about) in lines(document) {
            let about = root().join(about.unwrap_or_default());
            for span in spans(&line).filter(|span| is_path(span)) {
                named += 1;
                let within = |path: &PathBuf| path.starts_with(&about) && path.ends_with(span);
                if !root().join(span).exists() && !all.iter().any(within) {
                    missing.push(format!("{document}: `{span}` in: {line}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{} of {named}:\n{}", missing.len(), missing.join("\n"));
    assert!(named > 50, "{named} paths");
}

/// The modules of a folder as the map writes them, `name.rs` or `name/`. One that is a file and a folder counts once.
fn modules(folder: &str) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(root().join(folder)).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let (stem, is_folder) = (name.trim_end_matches(".rs"), entry.path().is_dir());
        let known = ["mod", "lib", "main", "tests"].contains(&stem);
        let counts = if folder == "server/web" { is_folder } else { is_folder || stem != name };
        if counts && !known {
            all.push(if is_folder { format!("{name}/") } else { name });
        }
    }
    all.sort();
    all
}

#[test]
fn every_module_is_on_the_map() {
    let lines = lines("ARCHITECTURE.md");
    let mut missing = Vec::new();
    for folder in FOLDERS {
        let section: Vec<&str> = lines
            .iter()
            .filter(|(_, about)| about.as_deref() == Some(folder))
            .flat_map(|(line, _)| spans(line))
            .collect();
        let modules = modules(folder);
        assert!(!modules.is_empty(), "{folder} is empty");
        let absent = modules.into_iter().filter(|module| !section.contains(&module.as_str()));
        missing.extend(absent.map(|module| format!("{folder}: {module}")));
    }
    assert!(missing.is_empty(), "not in ARCHITECTURE.md:\n{}", missing.join("\n"));
}

/// The table of what is certain after a yes names the tests that show it.
#[test]
fn every_test_that_hosting_names_exists() {
    let mut all = Vec::new();
    ["server", "app"].iter().for_each(|folder| below(&root().join(folder), &mut all));
    let sources = all.iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let sources: Vec<_> = sources.map(|path| fs::read_to_string(path).unwrap()).collect();
    let is_test = |span: &&str| {
        span.matches('_').count() >= 3
            && span.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let lines = lines("docs/hosting.md");
    let named: Vec<_> = lines.iter().flat_map(|(line, _)| spans(line)).filter(is_test).collect();
    assert!(named.len() > 10, "{named:?}");
    for name in named {
        let test = format!("fn {name}(");
        let is_there =
            name.starts_with("quadrille_") || sources.iter().any(|text| text.contains(&test));
        assert!(is_there, "docs/hosting.md names the test `{name}`, which does not exist");
    }
}
