//! The repository's documents as pages, grouped by audience, and their search index.

use requests::documents::{Page, page};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The documents, by path.
static TEXTS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/documents.rs"));

/// The search index, fetched on the first search.
pub const INDEX: &str = "docs.json";

/// An audience, and what it may want to read.
struct Reader {
    who: &'static str,
    about: &'static str,
    documents: &'static [&'static str],
}

static READERS: [Reader; 5] = [
    Reader {
        who: "Players",
        about: "Playing well, here and in the terminal.",
        documents: &["terminal", "levels", "commands"],
    },
    Reader {
        who: "Students",
        about: "What is known of the games, and how one can be sure of it.",
        documents: &["results", "paper", "certificates", "engine"],
    },
    Reader {
        who: "Authors of bots and tools",
        about: "Asking Quadrille, from a shell, over a network, in Python or in a page.",
        documents: &[
            "notation",
            "requests",
            "protocols",
            "http",
            "python",
            "python-reference",
            "arena",
        ],
    },
    Reader { who: "Hosts", about: "A server of your own.", documents: &["hosting"] },
    Reader {
        who: "Contributors",
        about: "How it is made, by whom, and how it changes.",
        documents: &["architecture", "contributing", "changelog", "seeds", "credits"],
    },
];

/// All documents, by name.
static PAGES: LazyLock<Vec<(&'static str, Page)>> = LazyLock::new(|| {
    let names = READERS.iter().flat_map(|reader| reader.documents);
    let made = |name: &&'static str| {
        let (_, bytes) = TEXTS.iter().find(|(path, _)| name_of(path) == **name)?;
        Some((*name, page(&String::from_utf8_lossy(bytes), address)))
    };
    names.filter_map(made).collect()
});

/// The name of a document in URLs: that of its file, in lower case.
fn name_of(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.trim_end_matches(".md").to_lowercase()
}

/// The URL for a link in a document: another page or an external address; none for other files of the repository.
fn address(link: &str) -> Option<String> {
    if link.starts_with("https://") || link.starts_with('#') {
        return Some(link.to_owned());
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let name = name_of(path.strip_suffix(".md").map(|_| path)?);
    let hash = if anchor.is_empty() { "" } else { "#" };
    if path.contains("rules/pages/") {
        return engine::find(&name).map(|_| format!("/rules/{name}{hash}{anchor}"));
    }
    let known = READERS.iter().any(|reader| reader.documents.contains(&&*name));
    known.then(|| format!("/docs/{name}{hash}{anchor}"))
}

/// The names of all documents.
pub fn names() -> impl Iterator<Item = &'static str> {
    READERS.iter().flat_map(|reader| reader.documents.iter().copied())
}

/// Whether there is such a page.
pub fn is_name(name: &str) -> bool {
    names().any(|own| own == name)
}

/// The search index: for each section its URL, page, heading and text.
pub fn index() -> Vec<u8> {
    let of_page = |(name, page): &(&str, Page)| {
        let title = page.title.clone();
        let section = |own: &requests::documents::Section| {
            let hash = if own.id.is_empty() { "" } else { "#" };
            let words = own.text.split_whitespace().collect::<Vec<_>>().join(" ");
            json!([format!("docs/{name}{hash}{}", own.id), title, own.title, words])
        };
        page.sections.iter().map(section).collect::<Vec<Value>>()
    };
    let all: Vec<Value> = PAGES.iter().flat_map(of_page).collect();
    Value::from(all).to_string().into_bytes()
}

const SEARCH: &str = r#"<form class="docs-search" role="search"><label for="docs-words">Search the documents</label><input id="docs-words" type="search" name="q" autocomplete="off" disabled><div id="docs-found" aria-live="polite"></div></form>"#;

/// The table of contents, grouped by audience.
pub fn contents() -> String {
    let item = |name: &&str| {
        let Some((_, page)) = PAGES.iter().find(|(own, _)| own == name) else {
            return String::new();
        };
        let about = escaped(&page.about);
        format!(
            r#"<li><a href="/docs/{name}">{}</a> – <span>{about}</span></li>"#,
            escaped(&page.title)
        )
    };
    let rules: String = engine::GAMES
        .iter()
        .map(|entry| {
            format!(
                r#"<li><a href="/rules/{}">Rules of {}</a></li>"#,
                entry.info.id, entry.info.name
            )
        })
        .collect();
    let group = |(place, reader): (usize, &Reader)| {
        let items: String = reader.documents.iter().map(item).collect();
        let rules = if place == 0 { &*rules } else { "" };
        format!(
            "<section><h2>{}</h2><p>{}</p><ul>{rules}{items}</ul></section>",
            reader.who, reader.about
        )
    };
    let groups: String = READERS.iter().enumerate().map(group).collect();
    format!(r#"<div class="prose docs"><h1>Documents</h1>{SEARCH}{groups}</div>"#)
}

/// A document, with links to the others.
pub fn document(name: &str) -> Option<String> {
    let (name, page) = PAGES.iter().find(|(own, _)| *own == name)?;
    let reader = READERS.iter().find(|reader| reader.documents.contains(name))?;
    let title = |other: &str| {
        PAGES.iter().find(|(own, _)| *own == other).map(|(_, page)| escaped(&page.title))
    };
    let others: String = reader
        .documents
        .iter()
        .filter(|other| *other != name)
        .filter_map(|other| Some(format!(r#"<a href="/docs/{other}">{}</a>"#, title(other)?)))
        .collect();
    let nav = format!(
        r#"<nav class="docs-nav" aria-label="Documents"><a href="/docs">Documents</a> <b>{}</b>{others}</nav>"#,
        reader.who
    );
    Some(format!(r#"{nav}{SEARCH}<article class="prose">{}</article>"#, page.html))
}

/// The title of a document.
pub(super) fn title(name: &str) -> Option<String> {
    let (_, page) = PAGES.iter().find(|(own, _)| *own == name)?;
    Some(page.title.clone())
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_document_has_a_page_and_a_reader() {
        let files: BTreeSet<_> = TEXTS.iter().map(|(path, _)| name_of(path)).collect();
        let listed: Vec<_> = names().map(str::to_owned).collect();
        assert_eq!(files, listed.iter().cloned().collect());
        assert_eq!(listed.len(), files.len(), "each once");
    }

    #[test]
    fn links_between_documents_lead_to_pages_and_anchors_that_exist() {
        let mut count = 0;
        for (name, page) in PAGES.iter() {
            for link in page.html.split("href=\"").skip(1) {
                let link = link.split('"').next().unwrap_or_default();
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                let other = match path.strip_prefix("/docs/") {
                    Some(other) => other,
                    None if path.is_empty() => name,
                    None => continue,
                };
                let (_, target) = PAGES.iter().find(|(own, _)| *own == other).expect(link);
                assert!(
                    anchor.is_empty() || target.html.contains(&format!("id=\"{anchor}\"")),
                    "{name}: {link}"
                );
                count += 1;
            }
        }
        assert!(count > 20, "{count}");
    }

    #[test]
    fn the_search_knows_every_page() {
        let index: Vec<(String, String, String, String)> =
            serde_json::from_slice(&index()).unwrap();
        for name in names() {
            assert!(index.iter().any(|own| own.0 == format!("docs/{name}")), "{name}");
        }
        let found = index.iter().find(|own| own.0 == "docs/http#limits").unwrap();
        assert!(found.3.contains("what an address spends"));
    }
}
