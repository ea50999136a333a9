//! The pages as files, for static hosts.

use super::assets::{Files, PLACE, fetched};
use super::{docs, first};
use serde_json::Value;

impl Files {
    /// All files of a static site: paths and contents, in the order in which they should be written.
    pub fn site(&self) -> Vec<(String, Vec<u8>)> {
        let file = |name: String| {
            let bytes = self.bytes(&name).unwrap_or_default().into_owned();
            (format!("{PLACE}{}/{name}", self.version()), bytes)
        };
        let mut files: Vec<_> = fetched().map(file).collect();
        files.push(("manifest.webmanifest".into(), self.manifest().into_bytes()));
        for path in folders() {
            let up = "../".repeat(path.split('/').count());
            let page = based(&of_files(&self.page_at(&path)), &up);
            files.push((format!("{path}/index.html"), page.into_bytes()));
        }
        // With their boards they would take more space than everything else.
        let plain = based(&of_files(&self.document()), "../../../");
        let puzzle = |path| (format!("{path}/index.html"), plain.clone().into_bytes());
        files.extend(puzzle_folders().map(puzzle));
        files.push(("404.html".into(), self.missing_page().into_bytes()));
        files.push(("index.html".into(), based(&of_files(&self.page_at("/")), "./").into_bytes()));
        // The service worker comes after the files that it caches.
        files.extend(self.keeper().map(|script| ("sw.js".into(), script.into_bytes())));
        files
    }

    /// The page for missing files on static hosts; its script works out which page was meant.
    fn missing_page(&self) -> String {
        let page = based(&of_files(&self.document()), "/");
        let page = Value::from(page).to_string().replace('<', "\\u003c");
        let bytes = self.bytes("missing.js").unwrap_or_default();
        let script = String::from_utf8_lossy(&bytes).replace("'{page}'", &page);
        format!(
            "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Quadrille</title>\n\
             <script>\n{script}</script>\n<noscript><h1>Page not found</h1></noscript>\n"
        )
    }
}

/// The pages that have a folder of their own, except puzzles.
fn folders() -> impl Iterator<Item = String> {
    let sections =
        ["play", "analysis", "editor", "learn", "puzzles", "results", "rules/all", "docs"];
    let of_game = |entry: &engine::Entry| {
        let id = entry.info.id;
        let pages = ["analysis", "editor", "learn", "puzzles", "results", "rules"];
        let first = pages.map(|page| format!("{page}/{id}"));
        let lessons = (1..=entry.info.lessons.len()).map(move |n| format!("learn/{id}/{n}"));
        let results = (1..=first::results(id)).map(move |n| format!("results/{id}/{n}"));
        let atlas = first::has_atlas(id).then(|| format!("results/{id}/atlas"));
        first.into_iter().chain(lessons).chain(results).chain(atlas)
    };
    let documents = docs::names().map(|name| format!("docs/{name}"));
    let sections = sections.into_iter().map(str::to_owned).chain(documents);
    sections.chain(engine::GAMES.iter().flat_map(of_game))
}

fn puzzle_folders() -> impl Iterator<Item = String> {
    engine::GAMES.iter().flat_map(|entry| {
        let id = entry.info.id;
        (1..=engine::puzzles::count(id)).map(move |n| format!("puzzles/{id}/{n}"))
    })
}

/// A document that tells its scripts that there is no server. Its URLs are relative to its folder, so if a host serves
/// it without a trailing slash, the address is corrected before any file is requested.
fn of_files(document: &str) -> String {
    const SLASH: &str = "<script>/\\/$|\\.html$/.test(location.pathname) || \
        history.replaceState(null, '', `${location.pathname}/${location.search}${location.hash}`)</script>";
    document.replacen("<html lang=\"en\">", "<html lang=\"en\" data-server=\"none\">", 1).replacen(
        "<head>",
        &format!("<head>\n  {SLASH}"),
        1,
    )
}

/// A document whose URLs start with `base` instead of the host's root, and in which pages are folders.
fn based(document: &str, base: &str) -> String {
    let mut pieces = document.split("=\"/");
    let mut all = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (path, rest) = piece.split_once('"').unwrap_or((piece, ""));
        let (path, anchor) = path.split_at(path.find('#').unwrap_or(path.len()));
        let slash = if path.is_empty() || path.contains(['.', '?']) { "" } else { "/" };
        all += &format!("=\"{base}{path}{slash}{anchor}\"{rest}");
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_site_is_named_from_the_root_of_its_host() {
        for (path, bytes) in Files::new(None).site() {
            let text = String::from_utf8_lossy(&bytes);
            let rooted = match path.rsplit('.').next() {
                Some("html") if path != "404.html" => text.contains("=\"/"),
                Some("webmanifest") => text.contains("\"/"),
                Some("js") => text.contains("'/assets") || text.contains("href: '/"),
                _ => false,
            };
            assert!(!rooted, "{path}");
        }
    }

    #[test]
    fn a_document_leads_from_its_folder_to_folders_and_files() {
        let document = r#"<a href="/"><a href="/learn/gekitai"><a href="/?new=gekitai"><img src="/assets/1/icon.svg"><a href="/docs/http#limits">"#;
        let expected = r#"<a href="../"><a href="../learn/gekitai/"><a href="../?new=gekitai"><img src="../assets/1/icon.svg"><a href="../docs/http/#limits">"#;
        assert_eq!(based(document, "../"), expected);
    }
}
