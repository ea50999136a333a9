//! Modules as one file, so that a browser asks once and not once for each of them.
//!
//! Each module becomes a function that is run when somebody first imports it, as a browser does it. Only the forms in
//! which the modules of the pages are written are known: `import { a, b as c } from './x.js';`,
//! `import * as x from './x.js';`, `await import('./x.js')`, `export const`, `export class`, `export { a };`.

use std::collections::BTreeMap;

/// What runs a module once.
const ONCE: &str = "const once = (make) => {\nlet made;\nreturn () => (made ??= make());\n};\n";

/// A module and everything that it imports, as one module that runs it. Nothing may import itself in a circle.
pub fn script<'a>(entry: &str, source: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut modules = BTreeMap::new();
    let mut wanted = vec![entry.to_owned()];
    while let Some(name) = wanted.pop() {
        if modules.contains_key(&name) {
            continue;
        }
        let (text, imported) = module(source(&name).unwrap_or_default());
        modules.insert(name, text);
        wanted.extend(imported);
    }
    let all: String = modules
        .iter()
        .map(|(name, text)| format!("const {} = once(() => {{\n{text}}});\n", function(name)))
        .collect();
    format!("{ONCE}{all}{}();\n", function(entry))
}

/// A sheet of styles with those that it imports.
pub fn styles<'a>(sheet: &str, source: impl Fn(&str) -> Option<&'a str>) -> String {
    let names =
        sheet.lines().filter_map(|line| line.strip_prefix("@import './")?.split('\'').next());
    names.map(|name| source(name).unwrap_or_default()).collect()
}

/// The function that runs a module and answers with what it exports.
fn function(name: &str) -> String {
    format!("${}", name.trim_end_matches(".js"))
}

/// The body of the function that a module becomes, and the names of the modules that it imports.
fn module(text: &str) -> (String, Vec<String>) {
    let (mut body, mut imported, mut exported) = (String::new(), Vec::new(), Vec::new());
    let text = without_comments(text);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("import ") {
            let mut whole = line.to_owned();
            while !whole.ends_with(';') {
                whole.push_str(lines.next().unwrap_or(";"));
            }
            if let Some((what, name)) = parts(&whole) {
                body += &format!("const {what} = {}();\n", function(name));
                imported.push(name.to_owned());
            }
        } else if let Some(names) = line.strip_prefix("export {") {
            exported.push(names.trim_end_matches("};").trim().to_owned());
        } else if let Some(rest) = line.strip_prefix("export ") {
            exported.extend(rest.split([' ', '=']).nth(1).map(str::to_owned));
            body += &format!("{rest}\n");
        } else {
            body += &format!("{line}\n");
        }
    }
    let body = with_later(&body, &mut imported);
    (format!("{body}return {{ {} }};\n", exported.join(", ")), imported)
}

/// What an import takes, as a pattern, and from which module.
fn parts(statement: &str) -> Option<(String, &str)> {
    let (what, name) = statement.strip_prefix("import ")?.split_once(" from './")?;
    let what = match what.strip_prefix("* as ") {
        Some(whole) => whole.to_owned(),
        None => what.replace(" as ", ": "),
    };
    Some((what, name.trim_end_matches("';")))
}

/// Modules that are imported while the program runs.
fn with_later(body: &str, imported: &mut Vec<String>) -> String {
    const LATER: &str = "await import('./";
    let mut pieces = body.split(LATER);
    let mut all = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("')").unwrap_or((piece, ""));
        all += &format!("await Promise.resolve().then({}){rest}", function(name));
        imported.push(name.to_owned());
    }
    all
}

/// The lines that hold more than a comment, without the blanks before them where no text can begin.
fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut within = false;
    for line in text.lines() {
        let words = line.trim_start();
        let begins = !within && words.starts_with("/**");
        if within || begins {
            // A type in a comment may stand before what it is of.
            let end = words.find("*/").map(|at| at + 2);
            within = end.is_none();
            if within || end == Some(words.len()) {
                continue;
            }
        } else if words.is_empty() || words.starts_with("// ") {
            continue;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCES: [(&str, &str); 4] = [
        (
            "main.js",
            "/** Begins. */\nimport { one, two as other } from './a.js';\nimport {\n  three,\n} from './b.js';\n\
             import * as all from './a.js';\nconst late = async () => (await import('./c.js')).four();\n",
        ),
        (
            "a.js",
            "import { three } from './b.js';\nexport { three };\nexport const one = 1;\nexport const two = 2;\n",
        ),
        ("b.js", "// A class.\nexport class three {}\n"),
        ("c.js", "export const four = () => /** @type {any} */ (4);\n"),
    ];

    fn source(name: &str) -> Option<&'static str> {
        SOURCES.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
    }

    #[test]
    fn modules_become_functions_that_run_when_they_are_imported() {
        let expected = format!(
            "{ONCE}\
             const $a = once(() => {{\nconst {{ three }} = $b();\nconst one = 1;\nconst two = 2;\n\
             return {{ three, one, two }};\n}});\n\
             const $b = once(() => {{\nclass three {{}}\nreturn {{ three }};\n}});\n\
             const $c = once(() => {{\nconst four = () => /** @type {{any}} */ (4);\nreturn {{ four }};\n}});\n\
             const $main = once(() => {{\nconst {{ one, two: other }} = $a();\nconst {{  three,}} = $b();\n\
             const all = $a();\nconst late = async () => (await Promise.resolve().then($c)).four();\nreturn {{  }};\n}});\n\
             $main();\n"
        );
        assert_eq!(script("main.js", source), expected);
    }

    #[test]
    fn comments_go_and_code_beside_them_stays() {
        let text = "/**\n * Words.\n */\nconst a = 1;\n  // more\n  /** @type {X} */ (b).c = 2;\nd('// e');\n\n/** F. */\n";
        let kept = "const a = 1;\n  /** @type {X} */ (b).c = 2;\nd('// e');\n";
        assert_eq!(without_comments(text), kept);
    }

    #[test]
    fn a_sheet_holds_those_that_it_imports() {
        let of = |name: &str| (name == "a.css").then_some("a { color: red }\n");
        assert_eq!(styles("@import './a.css';\n", of), "a { color: red }\n");
    }
}
