//! `quadrille rules`: a rules page for the terminal.

use crate::output::pages;
use crate::shell::failure::{Failure, print};
use crate::shell::input;

pub fn run(game: &str, ascii: bool) -> Result<(), Failure> {
    let page = pages::page(input::game(game)?, pages::charset(ascii), pages::color_wanted());
    print(page)
}
