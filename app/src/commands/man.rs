//! `quadrille man`: manual pages, made from the same arguments and examples as the help.

use crate::cli::Cli;
use crate::shell::failure::{Failure, print};
use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::fs;
use std::path::Path;

/// Prints the page of the program, or writes the pages of all commands into a folder.
pub fn run(folder: Option<&Path>) -> Result<(), Failure> {
    let mut program = Cli::command();
    program.build();
    let Some(folder) = folder else {
        return print(page(&program, "quadrille").map_err(Failure::Other)?);
    };
    let pages = pages(&program, "quadrille").map_err(Failure::Other)?;
    let count = pages.len();
    fs::create_dir_all(folder)
        .and_then(|()| {
            pages.into_iter().try_for_each(|(name, page)| fs::write(folder.join(name), page))
        })
        .with_context(|| format!("cannot write to `{}`", folder.display()))
        .map_err(Failure::Other)?;
    print(format!("{count} pages in {}\n", folder.display()))
}

/// The pages of a command and of those below it, by the names of their files.
fn pages(command: &Command, name: &str) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut all = vec![(format!("{name}.1"), page(command, name)?)];
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        if below.get_name() != "help" {
            all.extend(pages(below, &format!("{name}-{}", below.get_name()))?);
        }
    }
    Ok(all)
}

/// One page. Its title is the name of its file, and its version is the number alone: the commit would make every
/// build's pages differ.
fn page(command: &Command, name: &str) -> anyhow::Result<Vec<u8>> {
    let usual = command.clone().name(name.to_owned()).version(env!("CARGO_PKG_VERSION"));
    let mut text = Vec::new();
    Man::new(usual)
        .title(name)
        .source(concat!("Quadrille ", env!("CARGO_PKG_VERSION")))
        .render(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_examples() {
        let mut program = Cli::command();
        program.build();
        let pages = pages(&program, "quadrille").unwrap();
        let text = |name: &str| {
            let page = pages.iter().find(|page| page.0 == format!("{name}.1"));
            String::from_utf8(page.unwrap_or_else(|| panic!("no page of {name}")).1.clone())
                .unwrap()
        };
        assert!(text("quadrille").contains("the menu: choose a game and play"));
        assert!(text("quadrille-site").contains("quadrille site \\-o public"));
        assert!(text("quadrille-admin-backup").starts_with(".ie"));
        assert!(!pages.iter().any(|(name, _)| name.contains("help")));
    }
}
