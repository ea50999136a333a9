//! The rules, one turn at a time.

use crate::lesson::{Goal, Lesson};

pub const LESSONS: &[Lesson] = &[
    Lesson {
        title: "Pushing",
        task: "A marker that you place pushes its neighbours one cell straight away. Push the marker of O from c3 to d4.",
        position: "6/6/2o3/6/6/6 1",
        goal: Goal::Holds(&[("d4", "O marker")]),
        answer: "b2",
        game: "5/5/2o2/5/5;markers=4 1",
    },
    Lesson {
        title: "What stays",
        task: "A marker with another right behind it does not move. Put yours on b3: the pair beside it stays where it is.",
        position: "6/6/2oo2/6/6/6 1",
        goal: Goal::Holds(&[("b3", "X marker"), ("c3", "O marker"), ("d3", "O marker")]),
        answer: "b3",
        game: "5/1xo2/5/5/5;markers=4 1",
    },
    Lesson {
        title: "Over the edge",
        task: "A marker that is pushed over the edge goes back to its owner. Push both markers of O off with one of yours.",
        position: "6/o5/6/o5/6/6 1",
        goal: Goal::Off(2),
        answer: "b3",
        game: "5/o3x/5/o4/5;markers=4 1",
    },
    Lesson {
        title: "Three in a row",
        task: "Three of your markers side by side win. The one you place cannot push a marker that has another behind it: complete the row.",
        position: "6/6/2xx2/6/6/6 1",
        goal: Goal::Win,
        answer: "e3",
        game: "5/5/2x2/5/o4;markers=4 1",
    },
    Lesson {
        title: "Into line",
        task: "Your own markers are pushed, too. Push the one on c3, so that three stand in a row on d3, e3 and f3.",
        position: "6/6/2x1xx/6/6/6 1",
        goal: Goal::Win,
        answer: "b3",
        game: "5/1x3/5/2x1o/5;markers=4 1",
    },
    Lesson {
        title: "Stop the pair",
        task: "O has two side by side and would win with a third. Push them apart, so that O cannot win on the next turn.",
        position: "6/6/2oo2/6/6/x4x 1",
        goal: Goal::Safe,
        answer: "c2",
        game: "5/5/1oo2/5/4x;markers=4 1",
    },
    Lesson {
        title: "No gifts",
        task: "A push that completes your opponent's line loses: a3 would. Play so that O has not won and cannot win at once.",
        position: "6/6/1o1oo1/6/6/x4x 1",
        goal: Goal::Safe,
        answer: "d2",
        game: "5/o1o2/5/5/x3x;markers=5 1",
    },
    Lesson {
        title: "All eight",
        task: "You also win when all eight of your markers are on the board. Seven are: place the last one where it pushes none of yours off.",
        position: "x1x1x1/6/x1x1x1/6/x5/3o1o 1",
        goal: Goal::Win,
        answer: "c5",
        game: "x1x2/5/5/o3o/5;markers=4 1",
    },
];
