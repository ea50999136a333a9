//! The commit for `quadrille --version`: from the release script, from git, or from a crate's package.

use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-env-changed=QUADRILLE_COMMIT");
    if let Some(commit) = env::var("QUADRILLE_COMMIT").ok().or_else(of_git).or_else(of_package) {
        println!("cargo::rustc-env=QUADRILLE_COMMIT={commit}");
    }
}

fn git(words: &[&str]) -> Option<String> {
    let ran = Command::new("git").args(words).output().ok().filter(|ran| ran.status.success())?;
    Some(String::from_utf8(ran.stdout).ok()?.trim().to_owned())
}

fn of_git() -> Option<String> {
    // A package may lie somewhere below the repository of something else.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    // Git writes a line there for every commit and checkout.
    println!("cargo::rerun-if-changed={}", git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    git(&["rev-parse", "--short=9", "HEAD"])
}

fn of_package() -> Option<String> {
    let told = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let commit = told.split("\"sha1\": \"").nth(1)?.get(..9)?;
    Some(commit.to_owned())
}
