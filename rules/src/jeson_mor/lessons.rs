//! The rules, one turn at a time, on the smallest board.

use crate::lesson::{Goal, Lesson};

pub const LESSONS: &[Lesson] = &[
    Lesson {
        title: "The jump",
        task: "A knight jumps two cells along a row or column and one to the side. Jump from a1 to b3.",
        position: "4n/5/5/5/N4 1",
        goal: Goal::Holds(&[("b3", "white knight")]),
        answer: "a1-b3",
        game: "3nn/5/5/5/NNN2 1",
    },
    Lesson {
        title: "Capturing",
        task: "A knight that lands on an enemy takes it off the board. Capture the knight on b3.",
        position: "4n/5/1n3/5/N4 1",
        goal: Goal::Holds(&[("b3", "white knight")]),
        answer: "a1-b3",
        game: "n3n/5/1n3/5/NN1N1 1",
    },
    Lesson {
        title: "The last knight",
        task: "Capturing your opponent's last knight wins. There is only the one on b3.",
        position: "5/5/1n3/5/N4 1",
        goal: Goal::Win,
        answer: "a1-b3",
        game: "5/3n1/5/5/NNN2 1",
    },
    Lesson {
        title: "To the centre",
        task: "Eight cells are one jump away from the centre: the ring. Bring your knight from the ring to the centre.",
        position: "4n/5/5/N4/5 1",
        goal: Goal::Holds(&[("c3", "white knight")]),
        answer: "a2-c3",
        game: "n3n/5/5/N3N/5 1",
    },
    Lesson {
        title: "Riding out",
        task: "Your knight has survived a turn on the centre. Move it off again: that wins.",
        position: "4n/5/2N2/5/N4 1",
        goal: Goal::Win,
        answer: "c3-a2",
        game: "n3n/5/5/N4/1N3 1",
    },
    Lesson {
        title: "Not so fast",
        task: "Black stands on the centre and would win by riding out. Capture that knight.",
        position: "4n/5/2n2/N4/5 1",
        goal: Goal::Holds(&[("c3", "white knight")]),
        answer: "a2-c3",
        game: "4n/5/2n2/N3N/5 1",
    },
    Lesson {
        title: "Counting the ring",
        task: "You have two knights on the ring, Black has one. So jump in: if Black takes, you take back, and then nobody is left to stop you.",
        position: "3n1/5/5/N3N/5 1",
        goal: Goal::Holds(&[("c3", "white knight")]),
        answer: "a2-c3",
        game: "3n1/4n/5/N3N/1N3 1",
    },
    Lesson {
        title: "Two against one",
        task: "Black has two knights on the ring and would win the fight for the centre. Capture one of them.",
        position: "3n1/4n/5/N2N1/5 1",
        goal: Goal::Holds(&[("e4", "white knight")]),
        answer: "d2-e4",
        game: "3n1/4n/5/N2N1/1N3 1",
    },
];
