//! A board in words, and what a turn did to it, for screen readers.

use crate::diagram::{Diagram, DrawnCell, Look, Piece, Show, Tone, Trace, Travel};
use crate::game::{Player, counted};

/// The name of a cell with what stands on it: "c4, red stack of 5".
pub fn cell(diagram: &Diagram, cell: &DrawnCell) -> String {
    let goal = if cell.tone == Tone::Goal { ", goal" } else { "" };
    match &cell.piece {
        None => format!("{}{goal}, empty", cell.name),
        Some(piece) => format!("{}{goal}, {}", cell.name, spoken_piece(diagram, piece)),
    }
}

fn spoken_piece(diagram: &Diagram, piece: &Piece) -> String {
    let (noun, more) = kind(diagram, piece);
    format!("{} {noun}{}", name(diagram, piece.owner), more.trim_end_matches(','))
}

/// What a piece is, without its owner: a noun, and what follows it.
fn kind(diagram: &Diagram, piece: &Piece) -> (&'static str, String) {
    match &piece.look {
        Look::Marker => ("marker", String::new()),
        Look::Knight => ("knight", String::new()),
        Look::Stack(height) => ("stack", format!(" of {height}")),
        Look::Tower { discs, letter } => {
            let owners: Vec<_> = discs.iter().rev().map(|disc| name(diagram, *disc)).collect();
            (chess_piece(*letter), format!(", from the top {},", owners.join(" ")))
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
        let mut groups: Vec<((&str, String), Vec<&str>)> = Vec::new();
        for (cell, piece) in own {
            // The sentence begins with the owner.
            let words = kind(diagram, piece);
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

/// What a move does on the board, as the end of a sentence that begins with the move: "pushes 2 markers, 1 off the
/// board: O from c3 to c4, X off from b2".
pub fn effect<G: Show>(before: &G, m: G::Move) -> String {
    let mut after = before.clone();
    after.play_unchecked(m);
    let trace = before.trace(m);
    let (before, after) = (before.diagram(), after.diagram());
    let said = Said { before: &before, after: &after };
    let mut parts = Vec::new();
    if let Some(cell) = trace.placed {
        parts.extend(said.placing(cell, &trace));
    }
    match &trace.travels[..] {
        [] => {}
        travels if trace.placed.is_some() => parts.push(said.pushing(travels)),
        [travel] => parts.push(said.moving(travel)),
        travels => parts.extend(said.splitting(travels)),
    }
    parts.join("; ")
}

/// The boards before and after a move.
struct Said<'a> {
    before: &'a Diagram,
    after: &'a Diagram,
}

impl Said<'_> {
    fn piece_before(&self, cell: usize) -> Option<&Piece> {
        self.before.cells.get(cell)?.piece.as_ref()
    }

    fn piece_after(&self, cell: usize) -> Option<&Piece> {
        self.after.cells.get(cell)?.piece.as_ref()
    }

    fn cell(&self, cell: usize) -> &str {
        self.before.cells.get(cell).map_or("", |cell| &cell.name)
    }

    fn owner(&self, cell: usize) -> String {
        self.piece_before(cell).map_or(String::new(), |piece| name(self.before, piece.owner))
    }

    /// A new piece. Where it pushes others, that says enough.
    fn placing(&self, cell: usize, trace: &Trace) -> Option<String> {
        let piece = self.piece_after(cell).filter(|_| trace.travels.is_empty())?;
        Some(match &piece.look {
            Look::Marker => "pushes nothing".to_owned(),
            Look::Tower { .. } => "places a new disc".to_owned(),
            Look::Knight | Look::Stack(_) => format!("places a new piece on {}", self.cell(cell)),
        })
    }

    fn pushing(&self, travels: &[Travel]) -> String {
        let off = travels.iter().filter(|travel| travel.to.is_none()).count();
        let off = if off == 0 { String::new() } else { format!(", {off} off the board") };
        let each = |travel: &Travel| {
            let (owner, from) = (self.owner(travel.from), self.cell(travel.from));
            match travel.to {
                Some(to) => format!("{owner} from {from} to {}", self.cell(to)),
                None => format!("{owner} off from {from}"),
            }
        };
        let all: Vec<_> = travels.iter().map(each).collect();
        format!("pushes {}{off}: {}", counted(travels.len(), "marker"), all.join(", "))
    }

    /// One piece that moves, or the top of a tower.
    fn moving(&self, travel: &Travel) -> String {
        let Some(to) = travel.to else { return "leaves the board".into() };
        match (self.piece_before(travel.from).map(|piece| &piece.look), self.piece_after(to)) {
            (Some(Look::Stack(_)), _) => self.landing(travel, "the whole stack").join("; "),
            (Some(Look::Tower { .. }), Some(now)) => {
                let discs = counted(travel.height.into(), "disc");
                let onto = match self.piece_before(to) {
                    Some(_) => format!("onto {}", self.cell(to)),
                    None => format!("to {}", self.cell(to)),
                };
                format!("moves {discs} {onto}, now {}", spoken_piece(self.after, now))
            }
            _ => self.jumping(travel.from, to),
        }
    }

    fn jumping(&self, from: usize, to: usize) -> String {
        let is_goal =
            |cell: usize| self.before.cells.get(cell).is_some_and(|c| c.tone == Tone::Goal);
        let mut parts = Vec::new();
        if let Some(taken) = self.piece_before(to) {
            parts.push(format!("captures a {}", spoken_piece(self.before, taken)));
        }
        if is_goal(to) {
            parts.push("reaches the goal".into());
        }
        if is_goal(from) {
            parts.push("leaves the goal".into());
        }
        match self.piece_before(from) {
            Some(piece) if parts.is_empty() => {
                format!("moves a {}", spoken_piece(self.before, piece))
            }
            _ => parts.join(", "),
        }
    }

    /// The parts of a stack, each of which lands somewhere.
    fn splitting(&self, travels: &[Travel]) -> Vec<String> {
        let heights: Vec<_> = travels.iter().map(|travel| travel.height.to_string()).collect();
        let mut said = vec![format!("splits a stack into {}", listed(&heights))];
        for travel in travels {
            said.extend(self.landing(travel, &travel.height.to_string()));
        }
        said
    }

    fn landing(&self, travel: &Travel, part: &str) -> Vec<String> {
        let Some((to, now)) = travel.to.and_then(|to| Some((to, self.piece_after(to)?))) else {
            return Vec::new();
        };
        let (place, now) = (self.cell(to), spoken_piece(self.after, now));
        let mover = self.piece_before(travel.from).map(|piece| piece.owner);
        vec![match self.piece_before(to) {
            None => format!("{part} to {place}"),
            Some(other) if Some(other.owner) == mover => format!("{part} joins {place}, now {now}"),
            Some(other) => {
                let taken = spoken_piece(self.before, other);
                format!("{part} captures the {taken} on {place}, now {now}")
            }
        }]
    }
}

/// "1, 2 and 3".
fn listed<T: AsRef<str>>(all: &[T]) -> String {
    match all {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [init @ .., last] => {
            let init: Vec<_> = init.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", init.join(", "), last.as_ref())
        }
    }
}

/// Pieces of one kind: "a marker on c4", "markers on a2, f5 and c4", "stacks of 6 on a2, f9 and h4".
fn said(((noun, more), cells): ((&str, String), Vec<&str>)) -> String {
    let (article, plural) = if cells.len() > 1 { ("", "s") } else { ("a ", "") };
    format!("{article}{noun}{plural}{more} on {}", listed(&cells))
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
        assert_eq!(said[0], "Red has stacks of 6 on a2, f9 and h4.");
        let said = position(&Gekitai::new(&Default::default()).unwrap().diagram());
        assert_eq!(said[1], "O has nothing on the board, 8 in reserve.");
        let said = position(
            &Gekitai::from_text("6/6/2x3/3o2/4x1/6 2", &Default::default()).unwrap().diagram(),
        );
        assert_eq!(said[0], "X has markers on c3 and e5, 6 in reserve.");
        assert_eq!(said[1], "O has a marker on d4, 7 in reserve.");
    }

    #[test]
    fn a_tower_says_its_discs_from_the_top() {
        use crate::six_making::SixMaking;
        let text = "1,xo,x,o/4/o,1,oox,1/1,x,2 1";
        assert_eq!(says::<SixMaking>(text, "c3"), "c3, X knight, from the top X O O");
    }

    fn does<G: Show + Notation>(text: &str, m: &str) -> String {
        let pos = G::from_text(text, &Default::default()).unwrap();
        let m: G::Move = m.parse().unwrap();
        effect(&pos, m)
    }

    #[test]
    fn a_placement_says_what_it_pushes() {
        use crate::gekitai::Gekitai;
        let says = does::<Gekitai>("6/1x4/2o3/6/6/6 1", "c2");
        assert_eq!(says, "pushes 2 markers: X from b2 to a2, O from c3 to c4");
        let says = does::<Gekitai>("1o4/6/6/6/6/6 1", "c1");
        assert_eq!(says, "pushes 1 marker: O from b1 to a1");
        let says = does::<Gekitai>("o5/6/6/6/6/6 1", "b1");
        assert_eq!(says, "pushes 1 marker, 1 off the board: O off from a1");
        assert_eq!(does::<Gekitai>("6/6/6/6/6/6 1", "c2"), "pushes nothing");
    }

    #[test]
    fn a_jump_says_what_it_captures_and_where_it_stands() {
        use crate::jeson_mor::JesonMor;
        let start = JesonMor::new(&Default::default()).unwrap().text();
        assert_eq!(does::<JesonMor>(&start, "e1-d3"), "moves a white knight");
    }

    #[test]
    fn a_piece_that_moves_is_called_what_it_looks_like() {
        use crate::jeson_mor::JesonMor;
        let mut board = JesonMor::new(&Default::default()).unwrap().diagram();
        for piece in board.cells.iter_mut().filter_map(|cell| cell.piece.as_mut()) {
            piece.look = Look::Marker;
        }
        let number = |name| board.cells.iter().position(|cell| cell.name == name).unwrap();
        let travel = Travel { from: number("a1"), to: Some(number("b3")), height: 1 };
        let said = Said { before: &board, after: &board };
        assert_eq!(said.moving(&travel), "moves a white marker");
    }

    #[test]
    fn a_shift_says_where_every_part_lands() {
        use crate::glaisher::Glaisher;
        let start = Glaisher::new(&Default::default()).unwrap().text();
        let says = does::<Glaisher>(&start, "a2-se:123");
        assert_eq!(says, "splits a stack into 1, 2 and 3; 1 to b3; 2 to c4; 3 to d5");
        assert_eq!(does::<Glaisher>(&start, "a2-se:6"), "the whole stack to g8");
    }

    #[test]
    fn a_tower_says_what_it_has_become() {
        use crate::six_making::SixMaking;
        let text = "1,xo,x,o/4/o,1,oox,1/1,x,2 1";
        let says = does::<SixMaking>(text, "c3-c1:1");
        assert_eq!(says, "moves 1 disc onto c1, now X rook, from the top X X");
        assert_eq!(does::<SixMaking>(text, "a1"), "places a new disc");
    }

    #[test]
    fn every_legal_move_of_every_sample_says_something() {
        fn all<G: Show>(pos: &G) {
            let mut moves = Vec::new();
            pos.append_moves(&mut moves);
            for m in moves {
                let says = effect(pos, m);
                assert!(!says.is_empty() && !says.contains("  "), "{says}");
            }
        }
        all(&crate::glaisher::Glaisher::new(&Default::default()).unwrap());
        all(&crate::gekitai::Gekitai::new(&Default::default()).unwrap());
        all(&crate::jeson_mor::JesonMor::new(&Default::default()).unwrap());
        all(&crate::six_making::SixMaking::new(&Default::default()).unwrap());
    }
}
