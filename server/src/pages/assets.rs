//! The files of the pages, which are embedded in the program.
//!
//! Their URLs contain a hash as their version, so browsers may cache them forever and never mix two versions. They are
//! served, or written to a folder by `quadrille site`.

use super::bundle::{self, BUNDLES};
use super::preview::Preview;
use super::{covers, docs, first, packing};
use engine::parts;
use flate2::Compression;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{LazyLock, OnceLock};
use table::event::Offer;
use table::words;

type File = (&'static str, &'static [u8]);

/// The files of `server/web`, by path.
static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The bundles made by the build script.
static BUNDLED: &[File] = include!(concat!(env!("OUT_DIR"), "/bundles.rs"));

/// Rules and engine for the browser. It is stored compressed, since compressing it takes longer than sending it.
const PROGRAM: &str = "quadrille.wasm";

/// The games and levels, so that a page can show them before the program is loaded.
const CATALOGUE: &str = "catalogue.json";

/// Generated files, each with its compressed form once somebody asks for it.
static MADE: LazyLock<Vec<Made>> = LazyLock::new(|| {
    let bundled = BUNDLED.iter().map(|(name, bytes)| (*name, Cow::Borrowed(*bytes)));
    let texts = [
        (CATALOGUE, Cow::Owned(catalogue())),
        (covers::FILE, Cow::Owned(covers::file().into_bytes())),
        (docs::INDEX, Cow::Owned(docs::index())),
    ];
    let all = bundled.chain(texts);
    all.map(|(name, bytes)| Made { name, bytes, packed: OnceLock::new() }).collect()
});

struct Made {
    name: &'static str,
    bytes: Cow<'static, [u8]>,
    packed: OnceLock<Vec<u8>>,
}

impl Made {
    fn packed(&'static self) -> &'static [u8] {
        self.packed.get_or_init(|| packing::packed(&self.bytes, Compression::best()))
    }
}

/// The prefix of the rules pages' names.
const RULES: &str = "rules-";

/// The path of files in `index.html` and the manifest, to which the version is added.
pub(super) const PLACE: &str = "assets/";

/// The files, embedded or from a folder.
pub struct Files {
    folder: Option<PathBuf>,
    version: String,
    /// The public URL, which link previews need; none if it is not known.
    host: Option<String>,
}

/// Checks that a folder is complete enough for `serve --web`.
pub fn check_folder(folder: &Path) -> Result<(), String> {
    let mut alone = FILES.iter().map(|(name, _)| *name).filter(|name| !name.contains('/'));
    if let Some(missing) = alone.find(|name| !folder.join(name).is_file()) {
        return Err(format!("`{}` has no `{missing}`", folder.display()));
    }
    let read = |path: &str| std::fs::read_to_string(folder.join(path)).ok();
    BUNDLES.into_iter().try_for_each(|name| bundle::bundled(name, read).map(drop))
}

impl Files {
    /// The embedded files or, for working on the pages, those of a folder.
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
        Files { folder, version, host: None }
    }

    /// With the site's public URL.
    #[must_use]
    pub fn at(self, host: Option<&str>) -> Files {
        Files { host: host.map(|host| host.trim_end_matches('/').to_owned()), ..self }
    }

    /// Whether they are read from a folder, so they may change while the program runs.
    pub fn may_change(&self) -> bool {
        self.folder.is_some()
    }

    /// The version, which is part of the files' URLs.
    pub fn version(&self) -> &str {
        &self.version
    }

    pub fn bytes(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        match name {
            PROGRAM => unpacked(&self.packed_program()?).map(Cow::Owned),
            name => self
                .generated(name)
                .map(|made| Cow::Borrowed(&*made.bytes))
                .or_else(|| part(name).map(Cow::Borrowed))
                .or_else(|| rules_page(name).map(Cow::Owned))
                .or_else(|| self.stored(name)),
        }
    }

    /// A file compressed with gzip, if a compressed form is kept.
    pub fn packed(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        match name {
            PROGRAM => self.packed_program(),
            name => self.generated(name).map(|made| Cow::Borrowed(made.packed())),
        }
    }

    /// A generated file. The modules of a folder are served one by one, not bundled.
    fn generated(&self, name: &str) -> Option<&'static Made> {
        let bundled = BUNDLES.contains(&name) && !self.may_change();
        let always = [CATALOGUE, covers::FILE, docs::INDEX].contains(&name);
        MADE.iter().find(|made| made.name == name && (bundled || always))
    }

    fn packed_program(&self) -> Option<Cow<'static, [u8]>> {
        self.stored("quadrille.wasm.gz")
    }

    fn stored(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        let Some(folder) = &self.folder else {
            return FILES
                .iter()
                .find(|(own, _)| *own == name)
                .map(|(_, bytes)| Cow::Borrowed(*bytes));
        };
        let is_within = Path::new(name).components().all(|one| matches!(one, Component::Normal(_)));
        is_within.then(|| std::fs::read(folder.join(name)).ok())?.map(Cow::Owned)
    }

    /// The HTML document that all pages share.
    pub fn document(&self) -> String {
        self.placed("index.html")
    }

    /// The HTML of the page at a path, with what it shows before its scripts run.
    pub fn page_at(&self, path: &str) -> String {
        self.page_with(first::content(path), &Preview::of(path))
    }

    /// The HTML of a page with this content, and what others show of it.
    pub(super) fn page_with(&self, content: Option<String>, preview: &Preview) -> String {
        let page = match content {
            Some(content) => {
                let own = format!("/{PLACE}{}/{}", self.version(), covers::FILE);
                let content = content.replace(covers::PLACE, &own);
                self.document().replace(r#"<main id="main" tabindex="-1"></main>"#, &content)
            }
            None => self.document(),
        };
        preview.put_into(&page, self.host.as_deref(), &self.version)
    }

    pub fn manifest(&self) -> String {
        self.placed("manifest.webmanifest")
    }

    /// The service worker, which caches the files of this version; none if they may change.
    pub fn keeper(&self) -> Option<String> {
        if self.may_change() {
            return None;
        }
        let place = |name: &String| format!("'{PLACE}{}/{name}'", self.version);
        let names: Vec<_> = fetched().filter(|name| !is_kept_later(name)).collect();
        let list = names.iter().map(place).collect::<Vec<_>>().join(", ");
        let bytes = self.bytes("sw.js").unwrap_or_default();
        let script = String::from_utf8_lossy(&bytes);
        Some(script.replace("{version}", &self.version).replace("/* files */", &list))
    }

    /// A text file with the version added to the URLs in it.
    fn placed(&self, name: &str) -> String {
        let bytes = self.bytes(name).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace(PLACE, &format!("{PLACE}{}/", self.version))
    }
}

/// Whether the service worker caches a file only once it was fetched: certificates that are large or for unusual
/// boards, which pages can do without.
fn is_kept_later(name: &str) -> bool {
    const LARGE: usize = 256 << 10;
    const SMALL: usize = 8 << 10;
    let Some(part) = parts::parts().find(|part| part.name == name) else { return false };
    let most = if part.is_usual() { LARGE } else { SMALL };
    name.ends_with(".proof") && part.bytes().is_some_and(|bytes| bytes.len() > most)
}

/// The files that pages fetch, by path relative to `assets/VERSION/`.
pub(super) fn fetched() -> impl Iterator<Item = String> {
    let elsewhere = ["index.html", "manifest.webmanifest", "quadrille.wasm.gz", "sw.js"];
    let alone = |name: &str| {
        let bundled = [".js", ".json", ".css"].iter().any(|kind| name.ends_with(kind));
        !bundled || BUNDLES.contains(&name) || name == "theme.js"
    };
    let names = FILES.iter().map(|(name, _)| *name).filter(move |name| alone(name));
    let parts = parts::parts().map(|part| part.name.to_owned());
    let rules = engine::GAMES.iter().map(|entry| format!("{RULES}{}.html", entry.info.id));
    let names = names.filter(move |name| !elsewhere.contains(name)).chain([
        PROGRAM,
        CATALOGUE,
        covers::FILE,
        docs::INDEX,
    ]);
    names.map(str::to_owned).chain(parts).chain(rules)
}

/// The rules of a game as HTML.
fn rules_page(name: &str) -> Option<Vec<u8>> {
    let game = name.strip_prefix(RULES)?.strip_suffix(".html")?;
    Some(requests::pages::rules(game).ok()?.into_bytes())
}

/// A table of the engine, which the browser fetches when a game first needs it.
fn part(name: &str) -> Option<&'static [u8]> {
    parts::parts().find(|part| part.name == name)?.bytes()
}

/// The games and levels, the wording of offers, and the greetings.
fn catalogue() -> Vec<u8> {
    let mut catalogue = requests::catalogue::catalogue().clone();
    // Replaced, because the pages have the covers in a separate file.
    for (game, entry) in catalogue["games"].as_array_mut().into_iter().flatten().zip(engine::GAMES)
    {
        game["picture"] = covers::pointer(entry, covers::FILE).into();
    }
    catalogue["asks"] = json!({
        "draw": words::asks(Offer::Draw), "undo": words::asks(Offer::Undo), "rematch": words::ASKS_AGAIN,
    });
    let greeting = |(word, text)| json!({ "word": word, "text": text });
    catalogue["greetings"] = words::GREETINGS.map(greeting).to_vec().into();
    catalogue.to_string().into_bytes()
}

fn unpacked(packed: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The content type of a file.
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
    fn every_file_of_the_pages_is_in_a_bundle_or_fetched() {
        let files = Files::new(None);
        let texts: Vec<_> = BUNDLES.map(|name| files.bytes(name).unwrap()).into();
        let alone: Vec<_> = fetched().collect();
        for (name, _) in FILES
            .iter()
            .filter(|(name, _)| name.ends_with(".js") && !["missing.js", "sw.js"].contains(name))
        {
            let path = name.trim_end_matches(".js").replace('/', "$");
            let function = format!("const ${path} = ");
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
    fn whatever_the_service_worker_keeps_can_be_fetched() {
        let files = Files::new(None);
        for name in fetched() {
            assert!(files.bytes(&name).is_some(), "{name}: then no page works without a network");
        }
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

    #[test]
    fn a_folder_in_which_a_file_is_missing_is_refused() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        assert_eq!(check_folder(&web), Ok(()));
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        assert_eq!(check_folder(&src), Err(format!("`{}` has no `address.js`", src.display())));
    }

    #[test]
    fn nothing_outside_the_folder_is_handed_out() {
        let files = Files::new(Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("web")));
        assert!(files.bytes("board/grid.js").is_some());
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        for name in ["../Cargo.toml", "board/../../Cargo.toml", root] {
            assert_eq!(files.bytes(name), None, "{name}");
        }
    }
}
