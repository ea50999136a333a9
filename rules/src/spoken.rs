//! A board in words, for screen readers.

use crate::diagram::{Diagram, DrawnCell, Look, Piece, Tone};
use crate::game::Player;

/// The name of a cell with what stands on it: "c4, red stack of 5".
pub fn cell(diagram: &Diagram, cell: &DrawnCell) -> String {
    let goal = if cell.tone == Tone::Goal { ", goal" } else { "" };
    match &cell.piece {
        None => format!("{}{goal}, empty", cell.name),
        Some(piece) => format!("{}{goal}, {}", cell.name, spoken_piece(diagram, piece)),
    }
}

fn spoken_piece(diagram: &Diagram, piece: &Piece) -> String {
    let owner = name(diagram, piece.owner);
    match &piece.look {
        Look::Marker => format!("{owner} marker"),
        Look::Knight => format!("{owner} knight"),
        Look::Stack(height) => format!("{owner} stack of {height}"),
        Look::Tower { discs, letter } => {
            let owners: Vec<_> = discs.iter().rev().map(|disc| name(diagram, *disc)).collect();
            format!("{owner} {}, from the top {}", chess_piece(*letter), owners.join(" "))
        }
    }
}

/// A position in sentences: the board, then what each player has on it and beside it.
pub fn position(diagram: &Diagram) -> Vec<String> {
    let mut sentences = Vec::new();
    for player in Player::BOTH {
        let seat = &diagram.players[player];
        let own = diagram.cells.iter().filter_map(|cell| {
            let piece = cell.piece.as_ref().filter(|piece| piece.owner == player)?;
            Some((cell, piece))
        });
        let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
        for (cell, piece) in own {
            let words = spoken_piece(diagram, piece);
            match groups.iter_mut().find(|(own, _)| *own == words) {
                Some((_, cells)) => cells.push(&cell.name),
                None => groups.push((words, vec![&cell.name])),
            }
        }
        let reserve = seat.reserve.map(|number| format!(", {number} in reserve"));
        let reserve = reserve.unwrap_or_default();
        match groups.is_empty() {
            true => sentences.push(format!("{} has nothing on the board{reserve}.", seat.name)),
            false => {
                let groups: Vec<_> = groups.into_iter().map(said).collect();
                sentences.push(format!("{} has {}{reserve}.", seat.name, groups.join("; ")));
            }
        }
    }
    sentences
}

/// Pieces of one kind: "red stack of 6 on a2, f9 and h4".
fn said((words, cells): (String, Vec<&str>)) -> String {
    let cells = match &cells[..] {
        [init @ .., last] if !init.is_empty() => format!("{} and {last}", init.join(", ")),
        cells => cells.concat(),
    };
    format!("{words} on {cells}")
}

/// The player's name in the game: words in lower case, single letters unchanged.
fn name(diagram: &Diagram, player: Player) -> String {
    let name = diagram.players[player].name;
    if name.len() > 1 { name.to_ascii_lowercase() } else { name.to_owned() }
}

fn chess_piece(letter: char) -> &'static str {
    match letter {
        'P' => "pawn",
        'R' => "rook",
        'N' => "knight",
        'B' => "bishop",
        'Q' => "queen",
        _ => "king",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::Show;
    use crate::{Game, Notation};

    fn says<G: Show + Notation>(text: &str, name: &str) -> String {
        let diagram = G::from_text(text, &Default::default()).unwrap().diagram();
        let found = diagram.cells.iter().find(|cell| cell.name == name).unwrap();
        cell(&diagram, found)
    }

    #[test]
    fn a_cell_says_what_stands_on_it() {
        use crate::{gekitai::Gekitai, glaisher::Glaisher, jeson_mor::JesonMor};
        let start = Glaisher::new(&Default::default()).unwrap().text();
        assert_eq!(says::<Glaisher>(&start, "a2"), "a2, red stack of 6");
        assert_eq!(says::<Glaisher>(&start, "a1"), "a1, empty");
        assert_eq!(says::<Gekitai>("6/6/2x3/6/6/6 2", "c3"), "c3, X marker");
        let start = JesonMor::new(&Default::default()).unwrap().text();
        assert_eq!(says::<JesonMor>(&start, "a9"), "a9, black knight");
        assert_eq!(says::<JesonMor>(&start, "e5"), "e5, goal, empty");
    }

    #[test]
    fn a_position_is_read_in_sentences() {
        use crate::{gekitai::Gekitai, glaisher::Glaisher};
        let said = position(&Glaisher::new(&Default::default()).unwrap().diagram());
        assert_eq!(said[0], "Red has red stack of 6 on a2, f9 and h4.");
        let said = position(&Gekitai::new(&Default::default()).unwrap().diagram());
        assert_eq!(said[1], "O has nothing on the board, 8 in reserve.");
    }

    #[test]
    fn a_tower_says_its_discs_from_the_top() {
        use crate::six_making::SixMaking;
        let text = "1,xo,x,o/4/o,1,oox,1/1,x,2 1";
        assert_eq!(says::<SixMaking>(text, "c3"), "c3, X knight, from the top X O O");
    }
}
