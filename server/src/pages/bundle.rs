//! Bundles modules into one file, so that a browser needs one request instead of one for each.
//!
//! Each module becomes a function that runs when it is first imported. Only the syntax that the pages use is supported:
//! `import { a, b as c } from '../room/x.js';`, `import * as x from './x.js';`, `await import('./x.js')`,
//! `export const`, `export class`, `export { a };`, and data: `import X from './x.json' with { type: 'json' };`.
//! Anything else is an error, and so is a missing module.
//!
//! The build script includes this file too, so it uses nothing but the standard library.

use std::collections::BTreeMap;

/// The entry points: the scripts of the pages and of their worker, and the styles.
pub const BUNDLES: [&str; 3] = ["main.js", "worker.js", "pages.css"];

/// The extension of imported data.
const JSON: &str = ".json";

/// Wraps a module's function so that it runs only once.
const ONCE: &str = "const once = (make) => {\nlet made;\nreturn () => (made ??= make());\n};\n";

/// An entry point with everything it imports; `source` reads a file by its path.
pub fn bundled(name: &str, source: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    if name.ends_with(".css") { styles(name, &source) } else { script(name, &source) }
}

fn script(entry: &str, source: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut modules = Modules { source, done: BTreeMap::new(), importing: Vec::new() };
    modules.add(entry)?;
    let all: String = modules
        .done
        .iter()
        .map(|(name, text)| format!("const {} = once(() => {{\n{text}}});\n", function(name)))
        .collect();
    Ok(format!("{ONCE}{all}{}();\n", function(entry)))
}

fn styles(name: &str, source: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let sheet = source(name).ok_or_else(|| format!("there is no `{name}`"))?;
    let imported =
        sheet.lines().filter_map(|line| line.strip_prefix("@import '")?.split('\'').next());
    imported
        .map(|path| {
            let path = resolved(name, path)?;
            source(&path).ok_or_else(|| format!("`{name}` imports `{path}`, which is not there"))
        })
        .collect()
}

/// The modules of a bundle, each as a function body.
struct Modules<'a> {
    source: &'a dyn Fn(&str) -> Option<String>,
    done: BTreeMap<String, String>,
    /// The path of imports from the entry point to the module being added.
    importing: Vec<String>,
}

impl Modules<'_> {
    /// Adds a module and everything it imports.
    fn add(&mut self, name: &str) -> Result<(), String> {
        if self.done.contains_key(name) {
            return Ok(());
        }
        if self.importing.iter().any(|one| one == name) {
            return Err(format!("a circle of imports: {} → {name}", self.importing.join(" → ")));
        }
        let text = (self.source)(name).ok_or_else(|| match self.importing.last() {
            Some(by) => format!("`{by}` imports `{name}`, which is not there"),
            None => format!("there is no `{name}`"),
        })?;
        if name.ends_with(JSON) {
            self.done.insert(name.to_owned(), format!("return {};\n", text.trim()));
            return Ok(());
        }
        let Module { body, imported, later } = module(name, &text)?;
        self.importing.push(name.to_owned());
        for one in &imported {
            self.add(one)?;
        }
        self.done.insert(name.to_owned(), body);
        // Dynamic imports run only when everything else has run, so they may form cycles.
        let importing = std::mem::replace(&mut self.importing, vec![name.to_owned()]);
        for one in later.iter().filter(|one| *one != name) {
            self.add(one)?;
        }
        self.importing = importing;
        self.importing.pop();
        Ok(())
    }
}

/// A module as the body of a function that returns its exports, with the paths of its static and its dynamic imports.
struct Module {
    body: String,
    imported: Vec<String>,
    later: Vec<String>,
}

/// The name of the function that runs a module.
fn function(name: &str) -> String {
    format!("${}", name.trim_end_matches(JSON).trim_end_matches(".js").replace('/', "$"))
}

fn module(name: &str, text: &str) -> Result<Module, String> {
    let unknown = |statement: &str| format!("`{name}`: `{statement}` is not understood");
    let (mut body, mut imported, mut exported) = (String::new(), Vec::new(), Vec::new());
    let text = without_comments(text);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut whole = line.to_owned();
        if line.starts_with("import ") || line.starts_with("export {") {
            while !whole.ends_with(';') {
                whole.push_str(lines.next().ok_or_else(|| unknown(line))?);
            }
        }
        if line.starts_with("import ") {
            let (what, path) = parts(&whole).ok_or_else(|| unknown(&whole))?;
            let path = resolved(name, path)?;
            body += &format!("const {what} = {}();\n", function(&path));
            imported.push(path);
        } else if let Some(names) = whole.strip_prefix("export {") {
            let names = names.strip_suffix("};").filter(|names| !names.contains(" as "));
            exported.push(names.ok_or_else(|| unknown(&whole))?.trim().to_owned());
        } else if let Some(rest) = line.strip_prefix("export ") {
            let own = rest.strip_prefix("const ").or_else(|| rest.strip_prefix("class "));
            let own = own.and_then(|own| own.split([' ', '=', ';']).next());
            exported.push(own.ok_or_else(|| unknown(line))?.to_owned());
            body += &format!("{rest}\n");
        } else {
            body += &format!("{line}\n");
        }
    }
    let (body, later) = with_later(name, &body)?;
    let body = format!("{body}return {{ {} }};\n", exported.join(", "));
    Ok(Module { body, imported, later })
}

/// The destructuring pattern of an import, and its path.
fn parts(statement: &str) -> Option<(String, &str)> {
    let (what, path) = statement.strip_prefix("import ")?.split_once(" from '")?;
    if let Some(path) = path.strip_suffix("' with { type: 'json' };") {
        return path.ends_with(JSON).then(|| (what.to_owned(), path));
    }
    let what = match what.strip_prefix("* as ") {
        Some(whole) => whole.to_owned(),
        None => Some(what).filter(|what| what.starts_with('{'))?.replace(" as ", ": "),
    };
    Some((what, path.strip_suffix("';")?))
}

/// The body with dynamic imports replaced by calls, and the paths of these imports.
fn with_later(name: &str, body: &str) -> Result<(String, Vec<String>), String> {
    let mut pieces = body.split("await import('");
    let (mut all, mut later) = (pieces.next().unwrap_or_default().to_owned(), Vec::new());
    for piece in pieces {
        let (path, rest) = piece.split_once("')").unwrap_or((piece, ""));
        let path = resolved(name, path)?;
        all += &format!("await Promise.resolve().then({}){rest}", function(&path));
        later.push(path);
    }
    Ok((all, later))
}

/// Resolves a relative path: `../board/grid.js` in `play/play.js` is `board/grid.js`.
fn resolved(from: &str, path: &str) -> Result<String, String> {
    let outside = || format!("`{from}` imports `{path}`, expected a path within the pages");
    let mut folders: Vec<_> = from.split('/').collect();
    folders.pop();
    if !path.starts_with('.') {
        return Err(outside());
    }
    for word in path.split('/') {
        match word {
            "." => {}
            ".." => drop(folders.pop().ok_or_else(outside)?),
            word => folders.push(word),
        }
    }
    Ok(folders.join("/"))
}

/// The text without comment lines.
fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut within = false;
    for line in text.lines() {
        let words = line.trim_start();
        let begins = !within && words.starts_with("/**");
        if within || begins {
            // A comment with a type may be followed by code.
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

    /// Bundles files, given by path and content.
    fn bundle(files: &[(&str, &str)]) -> Result<String, String> {
        let find = |name: &str| files.iter().find(|(own, _)| *own == name);
        bundled(files[0].0, |name| find(name).map(|(_, text)| (*text).to_owned()))
    }

    #[test]
    fn modules_become_functions_that_run_when_they_are_imported() {
        let main = "/** Begins. */\nimport { one, two as other } from './a.js';\nimport {\n  three,\n} from './c/b.js';\n\
             import * as all from './a.js';\nconst late = async () => (await import('./c/c.js')).four();\n";
        let a = "import { three } from './c/b.js';\nexport { three };\nexport const one = 1;\nexport const two = 2;\n";
        let b = "// A class.\nexport class three {}\n";
        let c =
            "import { one } from '../a.js';\nexport const four = () => /** @type {any} */ (one);\n";
        let expected = format!(
            "{ONCE}\
             const $a = once(() => {{\nconst {{ three }} = $c$b();\nconst one = 1;\nconst two = 2;\n\
             return {{ three, one, two }};\n}});\n\
             const $c$b = once(() => {{\nclass three {{}}\nreturn {{ three }};\n}});\n\
             const $c$c = once(() => {{\nconst {{ one }} = $a();\n\
             const four = () => /** @type {{any}} */ (one);\nreturn {{ four }};\n}});\n\
             const $main = once(() => {{\nconst {{ one, two: other }} = $a();\nconst {{  three,}} = $c$b();\n\
             const all = $a();\nconst late = async () => (await Promise.resolve().then($c$c)).four();\nreturn {{  }};\n}});\n\
             $main();\n"
        );
        let files = [("main.js", main), ("a.js", a), ("c/b.js", b), ("c/c.js", c)];
        assert_eq!(bundle(&files), Ok(expected));
    }

    #[test]
    fn what_cannot_be_joined_is_an_error_that_says_where() {
        let main =
            |text| bundle(&[("main.js", text), ("a.js", "import { b } from './main.js';\n")]);
        for (text, error) in [
            ("import { x } from './x.js';\n", "`main.js` imports `x.js`, which is not there"),
            ("f(await import('./x.js'));\n", "`main.js` imports `x.js`, which is not there"),
            (
                "import { x } from '../x.js';\n",
                "`main.js` imports `../x.js`, expected a path within the pages",
            ),
            ("import { x } from 'x';\n", "`main.js` imports `x`, expected a path within the pages"),
            ("import './a.js';\n", "`main.js`: `import './a.js';` is not understood"),
            ("import a from './a.js';\n", "`main.js`: `import a from './a.js';` is not understood"),
            ("export default 1;\n", "`main.js`: `export default 1;` is not understood"),
            ("import { a } from './a.js';\n", "a circle of imports: main.js → a.js → main.js"),
        ] {
            assert_eq!(main(text), Err(error.to_owned()));
        }
        let styles = bundle(&[("pages.css", "@import './a.css';\n")]);
        assert_eq!(styles, Err("`pages.css` imports `a.css`, which is not there".to_owned()));
    }

    #[test]
    fn modules_that_are_imported_while_they_run_may_lead_back() {
        let files = [
            ("main.js", "export const f = async () => (await import('./a.js')).g();\n"),
            ("a.js", "import { f } from './main.js';\nexport const g = f;\n"),
        ];
        assert!(bundle(&files).is_ok_and(|text| text.contains("const $a = once(")));
    }

    #[test]
    fn data_becomes_a_function_that_returns_it() {
        let main = "import WORDS from './a/words.json' with { type: 'json' };\nf(WORDS.one);\n";
        let files = [("main.js", main), ("a/words.json", "{ \"one\": \"1\" }\n")];
        let expected = format!(
            "{ONCE}const $a$words = once(() => {{\nreturn {{ \"one\": \"1\" }};\n}});\n\
             const $main = once(() => {{\nconst WORDS = $a$words();\nf(WORDS.one);\nreturn {{  }};\n}});\n\
             $main();\n"
        );
        assert_eq!(bundle(&files), Ok(expected));
    }

    #[test]
    fn comments_go_and_code_beside_them_stays() {
        let text = "/**\n * Words.\n */\nconst a = 1;\n  // more\n  /** @type {X} */ (b).c = 2;\nd('// e');\n\n/** F. */\n";
        let kept = "const a = 1;\n  /** @type {X} */ (b).c = 2;\nd('// e');\n";
        assert_eq!(without_comments(text), kept);
    }

    #[test]
    fn a_sheet_holds_those_that_it_imports() {
        let files = [("pages.css", "@import './a.css';\n"), ("a.css", "a { color: red }\n")];
        assert_eq!(bundle(&files).as_deref(), Ok("a { color: red }\n"));
    }
}
