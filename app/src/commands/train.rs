//! `quadrille train`: makes a net for a game.

use crate::shell::failure::Failure;
use crate::shell::input;

pub fn run(args: &train::Args) -> Result<(), Failure> {
    input::game(&args.game)?;
    train::run(args).map_err(Failure::Other)
}
