//! The files of the pages, which are part of the program.
//!
//! They lie below a path that names their version, so that browsers may keep them for ever and never mix two
//! versions. A server hands them out, and `quadrille site` writes them into a folder.

use crate::{bundle, first};
use engine::parts;
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::{LazyLock, OnceLock};

/// Names the files of the folder `web` with their contents.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../web/", $name)))),*]
    };
}

type File = (&'static str, &'static [u8]);

static FILES: &[File] = files![
    "address.js",
    "analysis.js",
    "analysisparts.js",
    "api.js",
    "arrive.js",
    "ask.js",
    "board.js",
    "clock.js",
    "commands.js",
    "connection.js",
    "device.js",
    "dialogs.js",
    "dom.js",
    "editor.js",
    "game.js",
    "gameparts.js",
    "gamestate.js",
    "gesture.js",
    "graph.js",
    "grid.js",
    "here.js",
    "home.js",
    "icon-192.png",
    "icon-512.png",
    "icon.svg",
    "index.html",
    "intake.js",
    "join.js",
    "layout.css",
    "learn.js",
    "links.js",
    "live.js",
    "main.js",
    "making.js",
    "manifest.webmanifest",
    "marks.js",
    "missing.js",
    "mygames.js",
    "newgame.js",
    "newrequest.js",
    "noticecard.js",
    "notices.js",
    "outbox.js",
    "pages.css",
    "pasted.js",
    "pieces.js",
    "play.js",
    "prefs.js",
    "premove.js",
    "proving.js",
    "puzzle.js",
    "puzzles.js",
    "puzzling.js",
    "quadrille.wasm.gz",
    "reach.js",
    "reader.js",
    "refused.js",
    "results.js",
    "review.js",
    "rules.js",
    "seatbar.js",
    "seats.js",
    "shelf.js",
    "socket.js",
    "sound.js",
    "stagecard.js",
    "status.js",
    "styles.css",
    "sw.js",
    "tables.js",
    "tabs.js",
    "text.js",
    "theme.js",
    "thinking.js",
    "travel.js",
    "tree.js",
    "turns.js",
    "variations.js",
    "versions.js",
    "wasi.js",
    "worker.js",
];

/// The program of the pages. It is kept as most browsers fetch it: compressing it takes longer than sending it.
pub const PROGRAM: &str = "quadrille.wasm";

/// The games and levels, so that a page need not wait for the program to show them.
const CATALOGUE: &str = "catalogue.json";

/// The scripts of the pages, of the Worker beside them, and the styles: each with everything that it imports.
const BUNDLES: [&str; 3] = ["main.js", "worker.js", "pages.css"];

/// What is made of other files, once.
static MADE: LazyLock<Vec<Made>> = LazyLock::new(|| {
    let source = |name: &str| {
        let (_, bytes) = FILES.iter().find(|(own, _)| *own == name)?;
        std::str::from_utf8(bytes).ok()
    };
    let made = |name: &'static str| {
        let text = match name.rsplit_once('.') {
            Some((_, "css")) => bundle::styles(source(name).unwrap_or_default(), source),
            _ => bundle::script(name, source),
        };
        Made { name, bytes: text.into_bytes(), packed: OnceLock::new() }
    };
    let catalogue = Made { name: CATALOGUE, bytes: catalogue(), packed: OnceLock::new() };
    BUNDLES.into_iter().map(made).chain([catalogue]).collect()
});

struct Made {
    name: &'static str,
    bytes: Vec<u8>,
    packed: OnceLock<Vec<u8>>,
}

impl Made {
    /// As gzip packs it; nobody should wait for that twice.
    fn packed(&'static self) -> &'static [u8] {
        self.packed.get_or_init(|| {
            let mut packer = GzEncoder::new(Vec::new(), Compression::best());
            let packed = packer.write_all(&self.bytes).and_then(|()| packer.finish());
            packed.unwrap_or_default()
        })
    }
}

/// What the names of the rules pages begin with.
const RULES: &str = "rules-";

/// Where index.html and the manifest say that their files are.
const PLACE: &str = "assets/";

/// The files, from the program or from a folder.
pub struct Files {
    folder: Option<PathBuf>,
    version: String,
}

impl Files {
    /// The files of the program; a developer may have them read from a folder instead.
    pub fn new(folder: Option<PathBuf>) -> Files {
        let mut hash = Sha256::new();
        for (name, bytes) in FILES {
            hash.update(name);
            hash.update(bytes);
        }
        for made in MADE.iter() {
            hash.update(&made.bytes);
        }
        for part in parts::parts() {
            hash.update(part.bytes().unwrap_or_default());
        }
        for entry in engine::GAMES {
            hash.update(requests::pages::rules(entry.info.id).unwrap_or_default());
        }
        let hash: String = hash.finalize().iter().take(6).map(|b| format!("{b:02x}")).collect();
        let version = if folder.is_some() { "folder".to_owned() } else { hash };
        Files { folder, version }
    }

    /// Whether a developer changes them while the program runs.
    pub fn may_change(&self) -> bool {
        self.folder.is_some()
    }

    /// The name of this version, which is part of the path of its files.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// A file by its name.
    pub fn bytes(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        match name {
            PROGRAM => unpacked(&self.packed_program()?).map(Cow::Owned),
            name => self
                .made(name)
                .map(|made| Cow::Borrowed(&*made.bytes))
                .or_else(|| part(name).map(Cow::Borrowed))
                .or_else(|| rules_page(name).map(Cow::Owned))
                .or_else(|| self.stored(name)),
        }
    }

    /// A file as gzip packs it, where it is kept so.
    pub fn packed(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        match name {
            PROGRAM => self.packed_program(),
            name => self.made(name).map(|made| Cow::Borrowed(made.packed())),
        }
    }

    /// A file that is made of others; where those may change, they come one by one.
    fn made(&self, name: &str) -> Option<&'static Made> {
        let bundled = BUNDLES.contains(&name) && !self.may_change();
        MADE.iter().find(|made| made.name == name && (bundled || name == CATALOGUE))
    }

    fn packed_program(&self) -> Option<Cow<'static, [u8]>> {
        self.stored("quadrille.wasm.gz")
    }

    fn stored(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        let (name, bytes) = FILES.iter().find(|(own, _)| *own == name)?;
        let file = self.folder.as_ref().and_then(|folder| std::fs::read(folder.join(name)).ok());
        Some(file.map_or(Cow::Borrowed(*bytes), Cow::Owned))
    }

    /// The document that all pages are.
    pub fn document(&self) -> String {
        self.placed("index.html")
    }

    /// The document of the page at a path, with what it shows before any script.
    pub fn page_at(&self, path: &str) -> String {
        self.page_with(first::content(path))
    }

    /// The same with a content of its own.
    pub fn page_with(&self, content: Option<String>) -> String {
        match content {
            Some(content) => {
                self.document().replace(r#"<main id="main" tabindex="-1"></main>"#, &content)
            }
            None => self.document(),
        }
    }

    /// What makes an app of the pages.
    pub fn manifest(&self) -> String {
        self.placed("manifest.webmanifest")
    }

    /// The script that keeps the files of this version; nothing where they may change.
    pub fn keeper(&self) -> Option<String> {
        if self.may_change() {
            return None;
        }
        let place = |name: &String| format!("'{PLACE}{}/{name}'", self.version);
        let names: Vec<_> = fetched().collect();
        let list = names.iter().map(place).collect::<Vec<_>>().join(", ");
        let bytes = self.bytes("sw.js").unwrap_or_default();
        let script = String::from_utf8_lossy(&bytes);
        Some(script.replace("{version}", &self.version).replace("/* files */", &list))
    }

    /// A text that says where the files are.
    fn placed(&self, name: &str) -> String {
        let bytes = self.bytes(name).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace(PLACE, &format!("{PLACE}{}/", self.version))
    }

    /// Everything that a host needs which only hands out files: paths and contents, in the order to write them.
    pub fn site(&self) -> Vec<(String, Vec<u8>)> {
        let file = |name: String| {
            let bytes = self.bytes(&name).unwrap_or_default().into_owned();
            (format!("{PLACE}{}/{name}", self.version), bytes)
        };
        let mut files: Vec<_> = fetched().map(file).collect();
        files.push(("manifest.webmanifest".into(), self.manifest().into_bytes()));
        for path in folders() {
            let up = "../".repeat(path.split('/').count());
            let page = based(&of_files(&self.page_at(&path)), &up);
            files.push((format!("{path}/index.html"), page.into_bytes()));
        }
        // Each with its board drawn would take more room than everything else.
        let plain = based(&of_files(&self.document()), "../../../");
        let puzzle = |path| (format!("{path}/index.html"), plain.clone().into_bytes());
        files.extend(puzzle_folders().map(puzzle));
        files.push(("404.html".into(), self.missing_page().into_bytes()));
        files.push(("index.html".into(), based(&of_files(&self.page_at("/")), "./").into_bytes()));
        // What keeps a version comes after all that it keeps.
        files.extend(self.keeper().map(|script| ("sw.js".into(), script.into_bytes())));
        files
    }

    /// What hosts answer where nothing is: the page itself finds out what was meant.
    fn missing_page(&self) -> String {
        let page = based(&of_files(&self.document()), "/");
        let page = Value::from(page).to_string().replace('<', "\\u003c");
        let bytes = self.bytes("missing.js").unwrap_or_default();
        let script = String::from_utf8_lossy(&bytes).replace("'{page}'", &page);
        format!(
            "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Quadrille</title>\n\
             <script>\n{script}</script>\n<noscript><h1>There is nothing here</h1></noscript>\n"
        )
    }
}

/// The pages of a site that have a folder each, but for puzzles.
fn folders() -> impl Iterator<Item = String> {
    let sections = ["play", "analysis", "editor", "learn", "puzzles", "results", "rules/all"];
    let of_game = |entry: &engine::Entry| {
        let id = entry.info.id;
        let pages = ["analysis", "editor", "learn", "puzzles", "results", "rules"];
        let first = pages.map(|page| format!("{page}/{id}"));
        let lessons = (1..=entry.info.lessons.len()).map(move |n| format!("learn/{id}/{n}"));
        let results = (1..=first::results(id)).map(move |n| format!("results/{id}/{n}"));
        first.into_iter().chain(lessons).chain(results)
    };
    sections.into_iter().map(str::to_owned).chain(engine::GAMES.iter().flat_map(of_game))
}

fn puzzle_folders() -> impl Iterator<Item = String> {
    engine::GAMES.iter().flat_map(|entry| {
        let id = entry.info.id;
        (1..=engine::puzzles::shipped(id).len()).map(move |n| format!("puzzles/{id}/{n}"))
    })
}

/// The files that pages fetch from below the path of their version.
fn fetched() -> impl Iterator<Item = String> {
    let elsewhere = ["index.html", "manifest.webmanifest", "quadrille.wasm.gz", "sw.js"];
    let alone = |name: &str| {
        let bundled = name.ends_with(".js") || name.ends_with(".css");
        !bundled || BUNDLES.contains(&name) || name == "theme.js"
    };
    let names = FILES.iter().map(|(name, _)| *name).filter(move |name| alone(name));
    let parts = parts::parts().map(|part| part.name.to_owned());
    let rules = engine::GAMES.iter().map(|entry| format!("{RULES}{}.html", entry.info.id));
    let names = names.filter(move |name| !elsewhere.contains(name)).chain([PROGRAM, CATALOGUE]);
    names.map(str::to_owned).chain(parts).chain(rules)
}

/// The rules of a game as the pages show them.
fn rules_page(name: &str) -> Option<Vec<u8>> {
    let game = name.strip_prefix(RULES)?.strip_suffix(".html")?;
    Some(requests::pages::rules(game).ok()?.into_bytes())
}

/// What the engine knows by heart, which the program of the pages is handed when a game first needs it.
fn part(name: &str) -> Option<&'static [u8]> {
    parts::parts().find(|part| part.name == name)?.bytes()
}

/// A document that tells its scripts that there are only files. It lies in a folder, and names its files from there: where
/// a host shows it without the slash behind the folder, that is put right before any file is asked for.
fn of_files(document: &str) -> String {
    const SLASH: &str = "<script>/\\/$|\\.html$/.test(location.pathname) || \
        history.replaceState(null, '', `${location.pathname}/${location.search}${location.hash}`)</script>";
    document.replacen("<html lang=\"en\">", "<html lang=\"en\" data-server=\"none\">", 1).replacen(
        "<head>",
        &format!("<head>\n  {SLASH}"),
        1,
    )
}

/// A document whose addresses begin with something else than the root of the host; there, pages are folders.
fn based(document: &str, base: &str) -> String {
    let mut pieces = document.split("=\"/");
    let mut all = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (path, rest) = piece.split_once('"').unwrap_or((piece, ""));
        let slash = if path.is_empty() || path.contains(['.', '?']) { "" } else { "/" };
        all += &format!("=\"{base}{path}{slash}\"{rest}");
    }
    all
}

fn catalogue() -> Vec<u8> {
    requests::catalogue::catalogue().to_string().into_bytes()
}

fn unpacked(packed: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What a file is, for whoever fetches it.
pub fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        Some("png") => "image/png",
        Some("webmanifest") => "application/manifest+json",
        Some("net" | "proof") => "application/gzip",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "text/html; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scripts_of_a_page_are_one_file_in_which_nothing_is_missing() {
        let files = Files::new(None);
        for name in ["main.js", "worker.js"] {
            let bytes = files.bytes(name).unwrap();
            let text = std::str::from_utf8(&bytes).unwrap();
            for line in text.lines() {
                let left = ["import ", "export "].iter().any(|word| line.starts_with(word));
                assert!(
                    !left && !line.contains("import('./") || line.contains("{import("),
                    "{name}: {line}"
                );
            }
            let called = text.split(" = $").skip(1).filter_map(|rest| rest.split_once("();"));
            for (function, _) in called {
                assert!(text.contains(&format!("const ${function} = once(")), "{name}: {function}");
            }
        }
        let styles = files.bytes("pages.css").unwrap();
        assert!(!String::from_utf8_lossy(&styles).contains("@import"));
    }

    #[test]
    fn every_file_of_the_pages_is_in_a_bundle_or_fetched() {
        let files = Files::new(None);
        let texts: Vec<_> = BUNDLES.map(|name| files.bytes(name).unwrap()).into();
        let alone: Vec<_> = fetched().collect();
        for (name, _) in FILES
            .iter()
            .filter(|(name, _)| name.ends_with(".js") && !["missing.js", "sw.js"].contains(name))
        {
            let function = format!("const ${} = ", name.trim_end_matches(".js"));
            let bundled =
                texts.iter().any(|text| String::from_utf8_lossy(text).contains(&function));
            assert!(bundled != (*name == "theme.js"), "{name}");
            assert_eq!(
                alone.iter().any(|own| own == name),
                BUNDLES.contains(name) || !bundled,
                "{name}"
            );
        }
    }

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
        let document = r#"<a href="/"><a href="/learn/gekitai"><a href="/?new=gekitai"><img src="/assets/1/icon.svg">"#;
        let expected = r#"<a href="../"><a href="../learn/gekitai/"><a href="../?new=gekitai"><img src="../assets/1/icon.svg">"#;
        assert_eq!(based(document, "../"), expected);
    }

    #[test]
    fn a_developer_gets_the_files_as_they_are_written() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let files = Files::new(Some(folder.clone()));
        for name in BUNDLES {
            assert_eq!(files.bytes(name).unwrap(), std::fs::read(folder.join(name)).unwrap());
            assert_eq!(files.packed(name), None);
        }
    }
}
