//! The rules, one turn at a time.

use crate::lesson::{Goal, Lesson};

pub const LESSONS: &[Lesson] = &[
    Lesson {
        title: "Pushing",
        task: "A marker that you place pushes its neighbours one cell straight away. Push the marker of O from c3 to d4.",
        position: "6/6/2o3/6/6/6 1",
        goal: Goal::Holds(&[("d4", "O marker")]),
        answer: "b2",
    },
    Lesson {
        title: "Over the edge",
        task: "A marker that is pushed over the edge goes back to its owner. Push both markers of O off with one of yours.",
        position: "6/o5/6/o5/6/6 1",
        goal: Goal::Off(2),
        answer: "b3",
    },
    Lesson {
        title: "Three in a row",
        task: "A marker with another right behind it stays where it is. Use that to get three of yours in a row: that wins.",
        position: "6/6/2xx2/6/6/6 1",
        goal: Goal::Win,
        answer: "e3",
    },
    Lesson {
        title: "Into line",
        task: "Your own markers are pushed, too. Push the one on c3, so that three stand in a row on d3, e3 and f3.",
        position: "6/6/2x1xx/6/6/6 1",
        goal: Goal::Win,
        answer: "b3",
    },
];
