//! The files of the pages, which are part of the program.
//!
//! They lie below a path that names their version, so that browsers may keep them for ever and never mix two
//! versions. A server hands them out, and `quadrille site` writes them into a folder.

use crate::first;
use engine::parts;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::io::Read;
use std::path::PathBuf;

/// Names the files of the folder `web` with their contents.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../web/", $name)))),*]
    };
}

type File = (&'static str, &'static [u8]);

static FILES: &[File] = files![
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
    "mygames.js",
    "newgame.js",
    "newrequest.js",
    "noticecard.js",
    "notices.js",
    "outbox.js",
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

/// What the names of the rules pages begin with.
const RULES: &str = "rules-";

/// Where index.html says that its files are.
pub const PLACE: &str = "/assets/";

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
        hash.update(catalogue());
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
            CATALOGUE => Some(Cow::Owned(catalogue())),
            name => part(name)
                .map(Cow::Borrowed)
                .or_else(|| rules_page(name).map(Cow::Owned))
                .or_else(|| self.stored(name)),
        }
    }

    /// The program as gzip packs it.
    pub fn packed_program(&self) -> Option<Cow<'static, [u8]>> {
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

    /// The document of the page at a path, with what it shows before any script. It names the modules that the
    /// page is made of, so that they come at once and not one after the other.
    pub fn page_at(&self, path: &str) -> String {
        self.page_with(path, first::content(path))
    }

    /// The same with a content of its own.
    pub fn page_with(&self, path: &str, content: Option<String>) -> String {
        let link = |name: &str| {
            format!(r#"<link rel="modulepreload" href="{PLACE}{}/{name}">"#, self.version)
        };
        let links: String = self.modules(path).iter().map(|name| link(name)).collect();
        let document = self.document().replace("<!-- modules -->", &links);
        match content {
            Some(content) => document.replace(r#"<main id="main" tabindex="-1"></main>"#, &content),
            None => document,
        }
    }

    /// The modules of the page at a path: what its first one imports, and what those do.
    fn modules(&self, path: &str) -> Vec<&'static str> {
        let page = match path.trim_matches('/').split('/').next().unwrap_or_default() {
            "" => "home.js",
            "analysis" => "analysis.js",
            "editor" => "editor.js",
            "learn" => "learn.js",
            "puzzles" => "puzzles.js",
            "results" => "results.js",
            "rules" => "rules.js",
            _ => "game.js",
        };
        let mut found = vec!["main.js", page];
        let mut next = 0;
        while let Some(name) = found.get(next) {
            let text = self.stored(name).unwrap_or_default();
            for imported in imports(&String::from_utf8_lossy(&text)) {
                if !found.contains(&imported) {
                    found.push(imported);
                }
            }
            next += 1;
        }
        found
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
            (format!("assets/{}/{name}", self.version), bytes)
        };
        let mut files: Vec<_> = fetched().map(file).collect();
        let page = |path: &str| without_server(&self.page_at(path)).into_bytes();
        files.push(("manifest.webmanifest".into(), self.manifest().into_bytes()));
        let games = engine::GAMES.iter().map(|entry| entry.info.id);
        let sections = ["play", "analysis", "editor", "learn", "puzzles", "results", "rules/all"]
            .map(str::to_owned);
        let of_games = games.flat_map(|id| {
            ["analysis", "editor", "learn", "puzzles", "results", "rules"]
                .map(|page| format!("{page}/{id}"))
        });
        for folder in sections.into_iter().chain(of_games) {
            files.push((format!("{folder}/index.html"), page(&folder)));
        }
        // Where nothing else is, the page itself finds out what was meant.
        files.push(("404.html".into(), page("/404")));
        files.push(("index.html".into(), page("/")));
        // What keeps a version comes after all that it keeps.
        files.extend(self.keeper().map(|script| ("sw.js".into(), script.into_bytes())));
        files
    }
}

/// The files that lie below the path of their version.
fn fetched() -> impl Iterator<Item = String> {
    let elsewhere = ["index.html", "manifest.webmanifest", "quadrille.wasm.gz", "sw.js"];
    let names = FILES.iter().map(|(name, _)| *name);
    let parts = parts::parts().map(|part| part.name.to_owned());
    let rules = engine::GAMES.iter().map(|entry| format!("{RULES}{}.html", entry.info.id));
    let names = names.filter(move |name| !elsewhere.contains(name)).chain([PROGRAM, CATALOGUE]);
    names.map(str::to_owned).chain(parts).chain(rules)
}

/// The modules that a module imports before it runs.
fn imports(text: &str) -> Vec<&'static str> {
    let names = text.split(" from './").skip(1).filter_map(|rest| rest.split('\'').next());
    let known = |name| FILES.iter().map(|(own, _)| *own).find(|own| *own == name);
    names.filter_map(known).collect()
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

/// A document that tells its scripts that there are only files.
fn without_server(document: &str) -> String {
    document.replace("<html lang=\"en\">", "<html lang=\"en\" data-server=\"none\">")
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
