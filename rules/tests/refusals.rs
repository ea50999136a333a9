//! Positions that cannot be are refused with the field and what was expected.

use rules::notation::from_json;
use rules::{Game, Notation};
use serde_json::{Value, json};

fn refused<G: Game>(position: Value, expected: &str) {
    let error = from_json::<G>(&position, &Default::default()).unwrap_err().to_string();
    assert_eq!(error, expected);
}

fn refused_text<G: Notation>(text: &str, expected: &str) {
    let error = G::from_text(text, &G::Options::default()).unwrap_err().to_string();
    assert_eq!(error, expected);
}

#[test]
fn gekitai_names_the_field() {
    use rules::gekitai::Gekitai as G;
    let board = |row: &str| json!([row, "......", "......", "......", "......", "......"]);
    refused::<G>(json!([]), "`position`: expected an object with `board` and `turn`");
    refused::<G>(json!({"game": "chess"}), "`game`: expected `gekitai`, got `chess`");
    refused::<G>(json!({"turn": 1}), "`position`: missing field `board`");
    refused::<G>(json!({"board": board("......")}), "`position`: missing field `turn`");
    refused::<G>(json!({"board": board("......"), "turn": 3}), "`turn`: a player is 1 or 2, got 3");
    refused::<G>(
        json!({"board": board("......"), "turn": 1, "colour": 2}),
        "`colour`: unknown field `colour`, expected one of `options`, `board`, `turn`",
    );
    refused::<G>(json!({"board": ["......"], "turn": 1}), "`board`: has 1 row, expected 6");
    refused::<G>(
        json!({"board": board("....."), "turn": 1}),
        "`board[0]`: has 5 cells, expected 6",
    );
    refused::<G>(
        json!({"board": board("..z..."), "turn": 1}),
        "`board[0]`: unknown cell `z`, expected x, o or .",
    );
    refused::<G>(
        json!({"board": [".x.x.x", "x.x.x.", ".x.x.x", "......", "......", "......"], "turn": 1}),
        "`board`: X has 9 markers, expected at most 8",
    );
    refused::<G>(
        json!({"options": {"size": 99}, "board": [], "turn": 1}),
        "`options.size`: board side must be 4 to 8, got 99",
    );
    refused::<G>(
        json!({"options": {"both": "me"}, "board": [], "turn": 1}),
        "`options.both`: unknown variant `me`, expected `mover` or `draw`",
    );
    refused::<G>(
        json!({"options": {"size": 4, "markers": 9}, "board": [], "turn": 1}),
        "`options.markers`: must be 1 to 8 on a board of side 4, got 9",
    );
    refused_text::<G>("6/6/6", "`position`: `6/6/6` lacks a blank and the player to move");
    refused_text::<G>("6/6/6/6/6/7 1", "`board[5]`: has 7 cells, expected 6");
    refused_text::<G>("6/6/6/6/6/99 1", "`board[5]`: `99` empty cells, expected 1 to 8");
    refused_text::<G>("6/6/6/6/6/6 3", "`turn`: `3` is not a player, expected 1 or 2");
}

#[test]
fn jeson_mor_names_the_field() {
    use rules::jeson_mor::JesonMor as G;
    let options = json!({"size": 5});
    let board = json!(["bb...", ".....", ".....", ".....", "...ww"]);
    refused::<G>(json!({"board": board, "turn": 1}), "`board`: has 5 rows, expected 9");
    refused::<G>(
        json!({"options": {"size": 6}, "board": board, "turn": 1}),
        "`options.size`: board side must be 5, 7, 9 or 11, got 6",
    );
    refused::<G>(
        json!({"options": options, "board": [".....", ".....", ".....", ".....", "....."], "turn": 1}),
        "`board`: has no knights, expected one at least",
    );
    refused::<G>(
        json!({"options": options, "board": ["bbbbb", "b....", ".....", ".....", "....w"], "turn": 1}),
        "`board`: Black has 6 knights, expected at most 5",
    );
    refused::<G>(
        json!({"options": options, "board": [".....", ".....", ".....", ".....", "....w"], "turn": 1, "winner": 2}),
        "`winner`: is 2, but on this board player 1 has won",
    );
    let won = |rows: [&str; 5], turn: u8, winner: u8| json!({"options": options, "board": rows, "turn": turn, "winner": winner});
    let ring = ["b....", ".....", ".....", "w....", "....."];
    assert!(from_json::<G>(&won(ring, 2, 1), &Default::default()).is_ok());
    refused::<G>(won(ring, 1, 1), "`winner`: is 1, who is to move");
    let far = ["b....", ".....", ".....", ".....", "w...."];
    refused::<G>(
        won(far, 2, 1),
        "`winner`: is 1, but no knight of White is a jump away from the centre",
    );
}

#[test]
fn six_making_names_the_field() {
    use rules::six_making::SixMaking as G;
    let options = json!({"size": 4});
    let with = |cell: &str| {
        let empty = ["", "", "", ""];
        json!([[cell, "", "", ""], empty, empty, empty])
    };
    let position = |board: Value, before: Value| json!({"options": options, "board": board, "turn": 1, "before": before});
    refused::<G>(
        position(with("xy"), json!(null)),
        "`board[0][0]`: unknown disc `y`, expected x or o",
    );
    refused::<G>(
        position(with("xxxxxxxxxxx"), json!(null)),
        "`board[0][0]`: the tower `xxxxxxxxxxx` has more than 10 discs",
    );
    refused::<G>(
        position(
            json!([
                ["xxxxxo", "ooooox", "", ""],
                ["", "", "", ""],
                ["", "", "", ""],
                ["", "", "", ""]
            ]),
            json!(null),
        ),
        "`board`: has 2 kings, expected at most one",
    );
    refused::<G>(
        position(
            json!([
                ["xxxxx", "xxxxx", "xxx", ""],
                ["", "", "", ""],
                ["", "", "", ""],
                ["", "", "", ""]
            ]),
            json!(null),
        ),
        "`board`: X has 13 discs, expected at most 12",
    );
    refused::<G>(position(with("x"), with("")), "`before`: no move of O leads from it to `board`");
    assert!(from_json::<G>(&position(with("o"), with("")), &Default::default()).is_ok());
}

#[test]
fn glaisher_names_the_field() {
    use rules::glaisher::Glaisher as G;
    let start = "1,r6,3/5,y6/7/y6,7/9/7,r6/7/r6,5/3,y6,1";
    refused_text::<G>(&format!("{start} 1#"), "`turn`: `1#` is not a player, expected 1 or 2");
    refused_text::<G>("6/5/7/8/9/8/7/6/5 1", "`board[0]`: has 6 cells, expected 5");
    refused_text::<G>(
        "r0,4/6/7/8/9/8/7/6/5 1",
        "`board[0]`: unknown cell `r0`, expected r6, y6 or a number",
    );
    refused_text::<G>(
        &format!("{start};min_parts=3 1"),
        "`options.min_parts`: must be 1 or 2, got 3",
    );
    refused_text::<G>("3/4/3;side=2 1", "`options.side`: board side must be 3 to 5, got 2");
    refused_text::<G>(&format!("{start};side=4 1"), "`board`: has 9 rows, expected 7");
    refused_text::<G>("3/5/5/4/3;side=3 1", "`board[1]`: has 5 cells, expected 4");
    refused_text::<G>(
        "r1,,3/6/7/8/9/8/7/6/5 1",
        "`board[0]`: `r1,,3` has nothing between two commas",
    );
    let full = |row: usize| vec![1; 5 + row.min(8 - row)];
    let board: Vec<_> = (0..9).map(full).collect();
    let mut empty = board.clone();
    empty.iter_mut().for_each(|row| row.fill(0));
    refused::<G>(
        json!({"board": empty, "turn": 1}),
        "`board`: has no stacks, expected one at least",
    );
    refused_text::<G>("5/6/7/8/9/8/7/6/5 2@", "`board`: has no stacks, expected one at least");
    refused::<G>(
        json!({"board": board, "turn": 1, "placing": true}),
        "`placing`: no cell is empty, but a shift always leaves one",
    );
    let mut board = empty;
    for (row, heights) in board.iter_mut().enumerate() {
        // Two chains side by side, from the top to the bottom.
        let column = row.min(4) - row.saturating_sub(4);
        heights[column] = 1;
        heights[column + 1] = -1;
    }
    refused::<G>(
        json!({"board": board, "turn": 1}),
        "`board`: both players connect opposite sides",
    );
    board[3][0] = 300;
    refused::<G>(
        json!({"board": board, "turn": 1}),
        "`board[3][0]`: height must be -255 to 255, got 300",
    );
}
