//! Single rules, each on the smallest position that shows it.

use rules::gekitai::{self, Gekitai};
use rules::glaisher::Glaisher;
use rules::jeson_mor::JesonMor;
use rules::six_making::SixMaking;
use rules::{Game, Notation, Outcome, Player};

fn at<G: Notation>(text: &str) -> G {
    G::from_text(text, &G::Options::default()).unwrap()
}

fn after<G: Notation>(text: &str, moves: &str) -> G {
    let mut pos = at::<G>(text);
    for m in moves.split(' ') {
        pos.play(m.parse().unwrap()).unwrap();
    }
    pos
}

fn refusal<G: Notation>(text: &str, m: &str) -> String {
    at::<G>(text).play(m.parse().unwrap()).unwrap_err().reason
}

const ONE: Option<Outcome> = Some(Outcome::Win(Player::One));
const TWO: Option<Outcome> = Some(Outcome::Win(Player::Two));

#[test]
fn a_marker_on_the_edge_is_pushed_off_the_board() {
    let pos = after::<Gekitai>("o5/6/6/6/6/6 1", "b2");
    assert_eq!(pos.text(), "6/1x4/6/6/6/6 2");
    assert_eq!(pos.reserve(Player::Two), 8);
}

#[test]
fn a_marker_with_another_behind_it_is_not_pushed() {
    assert_eq!(after::<Gekitai>("6/6/3ox1/6/6/6 1", "c3").text(), "6/6/2xox1/6/6/6 2");
}

#[test]
fn pushing_the_opponent_into_a_line_loses() {
    let pos = after::<Gekitai>("6/6/1oo3/3o2/6/6 1", "d5");
    assert_eq!((pos.text(), pos.outcome()), ("6/6/1ooo2/6/3x2/6 2".into(), TWO));
}

#[test]
fn when_both_have_a_line_the_option_decides() {
    let text = "6/6/1oo3/3o2/1xx3/6 1";
    assert_eq!(after::<Gekitai>(text, "d5").outcome(), ONE);
    let options = gekitai::Options { both: gekitai::Both::Draw, ..Default::default() };
    let mut pos = Gekitai::from_text(text, &options).unwrap();
    pos.play("d5".parse().unwrap()).unwrap();
    assert_eq!(pos.outcome(), Some(Outcome::Draw));
}

#[test]
fn all_markers_on_the_board_win() {
    let text = "x1x1x1/6/x1x1x1/6/x5/6;markers=8 1";
    assert_eq!(after::<Gekitai>(text, "f6").outcome(), ONE);
}

#[test]
fn reaching_the_centre_wins_nothing_and_leaving_it_wins() {
    let pos = after::<JesonMor>("n3n/5/5/3N1/N4 1", "a1-b3 a5-b3");
    assert_eq!(pos.outcome(), None);
    let pos = after::<JesonMor>("n3n/5/5/4N/N4 1", "e2-c3");
    assert_eq!(pos.outcome(), None);
    let pos = after::<JesonMor>("n3n/5/2N2/5/N4 1", "c3-a2");
    assert_eq!(pos.outcome(), ONE);
}

#[test]
fn capturing_the_last_knight_wins() {
    assert_eq!(after::<JesonMor>("5/5/5/1n3/3N1 1", "d1-b2").outcome(), ONE);
}

#[test]
fn arriving_in_the_centre_wins_when_that_is_the_goal() {
    assert_eq!(after::<JesonMor>("n3n/5/5/4N/N4;goal=reach 1", "e2-c3").outcome(), ONE);
}

#[test]
fn knights_say_why_they_cannot_go() {
    let text = "n3n/5/5/5/N1N2 1";
    assert_eq!(refusal::<JesonMor>(text, "a1-a2"), "a knight does not jump from a1 to a2");
    assert_eq!(refusal::<JesonMor>(text, "b1-c3"), "there is no knight on b1");
    assert_eq!(refusal::<JesonMor>(text, "a5-b3"), "the knight on a5 is the opponent's");
    assert_eq!(refusal::<JesonMor>(text, "a1-f9"), "f9 is not on the board of 5 by 5 cells");
}

#[test]
fn towers_move_as_their_height_says() {
    // Around a tower on c3 nearly every cell holds a single disc.
    let reach = |discs: &str| {
        let text = format!("x,1,x,1,x/1,x,x,x,1/x,x,{discs},o,o/o,o,o,o,o/o,o,o,o,o 1");
        let moves = at::<SixMaking>(&text).moves();
        let from_c3 = moves
            .iter()
            .map(ToString::to_string)
            .filter(|m| m.starts_with("c3-") && !m.contains(':'));
        from_c3.map(|m| m[3..].to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(reach("o"), "c2 b3 d3 c4");
    assert_eq!(reach("xo"), "c2 b3 d3 c4");
    assert_eq!(reach("xxo"), "a4 e4 b5 d5");
    assert_eq!(reach("xxxo"), "b2 d2 b4 d4");
    assert_eq!(reach("xxxxx"), "b2 c2 d2 b3 d3 b4 c4 d4");
}

#[test]
fn six_discs_make_a_king_and_its_top_wins() {
    let pos = after::<SixMaking>("oox,xxo,3/5/5/5/5 2", "a3");
    assert_eq!(pos.outcome(), None);
    let pos = after::<SixMaking>("xo,xxox,3/5/5/5/5 2", "a1-b1");
    assert_eq!(pos.outcome(), TWO);
}

#[test]
fn one_may_not_crown_the_opponent_unless_it_is_allowed() {
    let text = "xo,xxox,3/5/5/5/5 1";
    assert_eq!(refusal::<SixMaking>(text, "a1-b1"), "it would build a king that the opponent tops");
    let pos = after::<SixMaking>("xo,xxox,3/5/5/5/5;self_defeat=allowed 1", "a1-b1");
    assert_eq!(pos.outcome(), TWO);
}

#[test]
fn the_last_move_may_not_be_undone() {
    // X moves one disc from the rook on a1 to the pawn on b1; both are rook and pawn again.
    let pos = after::<SixMaking>("xo,x,3/5/5/5/5 1", "a1-b1:1");
    assert_eq!(pos.text(), "x,xo,3/5/5/5/5;ko=b1-a1:1 2");
    assert!(!pos.is_legal("b1-a1:1".parse().unwrap()));
    let error = pos.clone().play("b1-a1:1".parse().unwrap()).unwrap_err();
    assert_eq!(error.reason, "it would undo the opponent's last move (ko)");
    let later = pos.after("e5".parse().unwrap());
    assert!(later.is_legal("b1-a1:1".parse().unwrap()));
}

#[test]
fn a_part_captures_what_is_not_taller_and_no_more() {
    let board = |stack: &str| format!("5/6/7/8/r2,1,{stack},6/8/r1,6/6/5 1");
    let pos = after::<Glaisher>(&board("y2"), "e1-e:2 @a1");
    assert_eq!(pos.text(), "r1,4/6/7/8/2,r4,6/8/r1,6/6/5 2");
    assert_eq!(pos.outcome(), ONE, "Yellow has no stack left to shift");
    assert_eq!(
        refusal::<Glaisher>(&board("y3"), "e1-e:2"),
        "a part of 2 would land on a taller stack, 3 on e3"
    );
}

#[test]
fn a_connection_counts_only_after_the_whole_turn() {
    let text = "5/6/7/8/r1,r1,r1,r1,r1,r1,r1,r1,1/8/6,r2/y3,5/5 1";
    let pos = after::<Glaisher>(text, "g9-ne:2");
    assert_eq!((pos.outcome(), pos.turn()), (None, Player::One));
    let pos = after::<Glaisher>(text, "g9-ne:2 @a1");
    assert_eq!(pos.outcome(), ONE);
}

#[test]
fn stacks_must_be_split_where_the_option_says_so() {
    let mut pos = at::<Glaisher>("5/6/7/8/r3,8/8/7/6/4,y3;min_parts=2 1");
    let error = pos.play("e1-e:3".parse().unwrap()).unwrap_err();
    assert_eq!(error.reason, "a stack must be split into at least 2 parts");
    assert!(pos.play("e1-e:12".parse().unwrap()).is_ok());
}

#[test]
fn a_smaller_hexagon_ends_earlier() {
    let text = "3/3,y2/5/r4,3/3;side=3 1";
    for (m, reason) in [
        ("d2-e:4", "a part of 4 would leave the board"),
        ("d6-w:1", "d6 is not on the board of side 3"),
        ("b4-se:2", "b4 holds the opponent's stack"),
    ] {
        assert_eq!(refusal::<Glaisher>(text, m), reason);
    }
    let middle = after::<Glaisher>(text, "d2-e:13").text();
    assert_eq!(middle, "3/3,y2/5/1,r1,1,r3/3;side=3 1@");
    assert_eq!(refusal::<Glaisher>(&middle, "@f2"), "f2 is not on the board of side 3");
}

#[test]
fn five_cells_connect_on_the_smallest_hexagon() {
    for (text, m) in [
        ("3/y1,3/r1,r1,1,r1,r1/4/r1,2;side=3 1", "e3-ne:1"),
        ("1,r1,1/1,r1,2/r1,3,y1/1,r1,2/r1,2;side=3 1", "c1-ne:1"),
    ] {
        let pos = after::<Glaisher>(text, m);
        assert_eq!(pos.outcome(), None);
        assert_eq!(after::<Glaisher>(&pos.text(), "@c3").outcome(), ONE, "{}", pos.text());
    }
}
