//! Lists the pages' files for `src/pages/assets.rs` and bundles their scripts and styles, so that a missing module
//! fails the build.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "src/pages/bundle.rs"]
mod bundle;

const SERVED: [&str; 8] = ["js", "json", "css", "html", "svg", "png", "webmanifest", "gz"];

/// Files that only tools need.
const OF_TOOLS: [&str; 2] = ["package.json", "tsconfig.json"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=web");
    println!("cargo::rerun-if-changed=src/pages/bundle.rs");
    let web = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("web");
    let out = Path::new(&env::var("OUT_DIR")?).to_owned();
    let mut names = Vec::new();
    append_names(&web, "", &mut names)?;
    names.sort();
    let files = names.iter().map(|name| (name.clone(), web.join(name)));
    fs::write(out.join("files.rs"), list(files)?)?;
    fs::write(out.join("documents.rs"), list(documents()?)?)?;
    for name in bundle::BUNDLES {
        let text = bundle::bundled(name, |path| fs::read_to_string(web.join(path)).ok())?;
        fs::write(out.join(name), text)?;
    }
    let bundles = bundle::BUNDLES.map(|name| (name.to_owned(), out.join(name)));
    fs::write(out.join("bundles.rs"), list(bundles)?)?;
    Ok(())
}

/// The documents that are also pages. They are reached through symbolic links, so that the crate's package contains
/// them.
fn documents() -> Result<Vec<(String, PathBuf)>, Box<dyn Error>> {
    let here = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("documents");
    let mut all = Vec::new();
    for folder in [here.clone(), here.join("docs")] {
        println!("cargo::rerun-if-changed={}", folder.display());
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|kind| kind == "md") {
                println!("cargo::rerun-if-changed={}", path.display());
                all.push((path.strip_prefix(&here)?.to_string_lossy().into_owned(), path));
            }
        }
    }
    all.sort();
    Ok(all)
}

/// Collects the paths of files that browsers may fetch.
fn append_names(
    folder: &Path,
    prefix: &str,
    names: &mut Vec<String>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let own = path.file_name().and_then(|name| name.to_str()).ok_or("a name is not UTF-8")?;
        if path.is_dir() {
            append_names(&path, &format!("{prefix}{own}/"), names)?;
        } else if OF_TOOLS.contains(&own) {
            continue;
        } else if SERVED.iter().any(|kind| path.extension().is_some_and(|own| own == *kind)) {
            names.push(format!("{prefix}{own}"));
        }
    }
    Ok(())
}

/// Rust code that embeds files by name.
fn list(
    files: impl IntoIterator<Item = (String, impl AsRef<Path>)>,
) -> Result<String, Box<dyn Error>> {
    let mut text = "&[".to_owned();
    for (name, path) in files {
        writeln!(text, "({name:?}, include_bytes!({:?})),", path.as_ref())?;
    }
    Ok(text + "]")
}
