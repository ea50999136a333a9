//! The rules, one turn at a time, on the smaller board.

use crate::lesson::{Goal, Lesson};

pub const LESSONS: &[Lesson] = &[
    Lesson {
        title: "Pawns",
        task: "A single disc is a pawn: it steps one cell up, down, left or right, onto another tower. Put yours on the disc of O.",
        position: "x,o,2/4/4/4 1",
        goal: Goal::Holds(&[("b1", "X rook")]),
        answer: "a1-b1",
    },
    Lesson {
        title: "Rooks",
        task: "Two discs are a rook: it goes along a row or column to the first tower there. Put the rook on the disc in d1.",
        position: "ox,2,o/4/4/4 1",
        goal: Goal::Holds(&[("d1", "X knight")]),
        answer: "a1-d1",
    },
    Lesson {
        title: "Knights",
        task: "Three discs are a knight, which jumps as in chess. Jump onto the disc in b3.",
        position: "oox,3/4/1,o,2/4 1",
        goal: Goal::Holds(&[("b3", "X bishop")]),
        answer: "a1-b3",
    },
    Lesson {
        title: "Only a part",
        task: "You may take only some discs from the top; the whole tower decides how they move. Move one disc of the rook to d1.",
        position: "ox,2,o/4/4/4 1",
        goal: Goal::Holds(&[("a1", "O pawn"), ("d1", "X rook")]),
        answer: "a1-d1:1",
    },
    Lesson {
        title: "The king",
        task: "A tower of six is a king and ends the game: whoever is on top wins. Crown yourself.",
        position: "ox,2,oxoo/4/4/4 1",
        goal: Goal::Win,
        answer: "a1-d1",
    },
];
