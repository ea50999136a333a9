//! The rules, one turn at a time.

use crate::lesson::{Goal, Lesson};

pub const LESSONS: &[Lesson] = &[
    Lesson {
        title: "Splitting",
        task: "A stack is split into parts of different heights, and each part goes as far as it is tall. Send a 1 and a 2 to the east, then place a new piece anywhere.",
        position: "5/6/7/8/4,r3,4/8/7/6/1,y1,3 1",
        goal: Goal::Holds(&[("e6", "red stack of 1"), ("e7", "red stack of 2")]),
        answer: "e5-e:12@a1",
        game: "5/6/7/8/r1,r1,2,r3,4/8/7/6/1,y1,3 1",
    },
    Lesson {
        title: "The cell you left",
        task: "After the shift you place one new piece on an empty cell; the one that the stack has left counts. Send the whole stack two cells to the east, and place the new piece where it stood.",
        position: "5/6/7/8/4,r2,4/8/7/6/1,y1,3 1",
        goal: Goal::Holds(&[("e5", "red stack of 1"), ("e7", "red stack of 2")]),
        answer: "e5-e:2@e5",
        game: "5/6/7/8/r1,r1,1,r1,r2,4/8/7/6/1,y1,3 1",
    },
    Lesson {
        title: "Merging",
        task: "A part that lands on a stack of yours is added to it. Make a stack of five on e6.",
        position: "5/6/7/8/3,r2,1,r3,3/8/7/6/1,y1,3 1",
        goal: Goal::Holds(&[("e6", "red stack of 5")]),
        answer: "e4-e:2@a1",
        game: "5/6/7/8/r1,r1,r1,r2,1,r3,3/8/7/6/1,y1,3 1",
    },
    Lesson {
        title: "Capturing",
        task: "A part takes an enemy stack that is not taller. Split the five so that both parts capture.",
        position: "5/6/7/r5,1,y2,y3,4/9/8/7/6/5 1",
        goal: Goal::Holds(&[("d3", "red stack of 4"), ("d4", "red stack of 6")]),
        answer: "d1-e:23@a1",
        game: "5/6/7/r5,1,y2,y3,4/9/8/7/6/1,y1,3 1",
    },
    Lesson {
        title: "Tall stacks",
        task: "No part may land on a taller enemy stack: 2+3 is forbidden here. Parts jump over everything: send a 1 and a 4 to the east.",
        position: "5/6/7/r5,1,y2,y4,4/9/8/7/6/5 1",
        goal: Goal::Holds(&[("d2", "red stack of 1"), ("d5", "red stack of 4")]),
        answer: "d1-e:14@a1",
        game: "5/6/7/r5,1,y2,1,r1,r1,r1,1/9/8/7/6/1,y1,3 1",
    },
    Lesson {
        title: "Joining",
        task: "Whoever joins two opposite sides with an unbroken chain wins. Shift the stack on e1, and fill the gap with the new piece.",
        position: "r1,3,y1/1,r1,4/2,r1,4/3,r1,4/r1,8/4,r1,3/4,r1,2/4,r1,1/4,r1 1",
        goal: Goal::Win,
        answer: "e1-e:1@e5",
        game: "5/6/7/8/r1,r1,r1,r1,1,1,r2,2/8/7/6/1,y1,3 1",
    },
    Lesson {
        title: "No way to shift",
        task: "Who has no legal shift loses. The yellow piece on a1 cannot take stacks of two: close the last way out with the two from d4.",
        position: "y1,r2,3/r2,5/7/3,r2,4/9/8/7/6/5 1",
        goal: Goal::Win,
        answer: "d4-nw:2@i5",
        game: "y1,r2,3/r2,5/7/3,r2,4/9/8/7/6/5 1",
    },
];
