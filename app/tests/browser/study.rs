//! Analysis, review, the editor and the rules.

use super::driver::{Browser, Driver};
use super::player::Script;
use super::site::Site;
use serde_json::{Map, json};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn an_analysis_thinks_branches_and_survives_a_reload() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    browser.open(&site.page("/analysis/jeson-mor")).await;
    browser.find("#lines li button").await;
    browser.click("#lines li button").await;
    browser.find("#moves button[aria-current=step]").await;
    browser.click("#tab-notes").await;
    browser.write("#comment", "a first thought").await;
    browser.until_text("#moves", "a first thought").await;
    browser.click("#nav-first").await;
    // Another first turn is a variation.
    let other = "[...document.querySelectorAll('#moves button')].map(b => b.textContent)";
    let first = browser.value(&format!("{other}[0]")).await;
    let turn = if first == json!("a1-b3") { "b1-a3" } else { "a1-b3" };
    browser.write("#move-text", &format!("{turn}\u{E007}")).await;
    browser.until_text("#moves .variation", turn).await;
    browser.reload().await;
    browser.until_text("#moves .variation", turn).await;
    browser.until_text("#moves", "a first thought").await;
    browser.until_text("#moves [aria-current=step]", turn).await;
    browser.click("#tab-tools").await;
    browser.click("#export").await;
    let record = "document.querySelector('#record textarea')?.value";
    let both = format!("{record}?.includes('(') && {record}.includes('{turn}')");
    browser.until("the record holds the variation", &both).await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn however_fast_the_best_turn_is_asked_for_only_legal_turns_are_played() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    for game in ["jeson-mor", "gekitai"] {
        browser.open(&site.page(&format!("/analysis/{game}"))).await;
        browser.find("#lines li button").await;
        // Proven turns come at once: with many more the game would be over.
        browser.hold(" ", 20, Duration::from_millis(30)).await;
        let played = "document.querySelectorAll('#moves button').length > 2";
        browser.until("some turns are played", played).await;
        browser.until("it rests", "document.querySelector('#lines li button')").await;
        // Lines of the previous position can still be clicked while the next one is awaited.
        let click = "document.querySelector('#lines li button')?.click()";
        browser.script(&format!("for (let i = 0; i < 4; i++) {click}")).await;
        browser.until("it rests", "document.querySelector('#lines li button')").await;
        let line = browser.value("decodeURIComponent(location.hash.slice(1))").await;
        let mut session = (engine::find(game).unwrap().start)(&Map::new()).unwrap();
        for turn in line.as_str().unwrap().split(',') {
            session.play(turn).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
        browser.click("#tab-tools").await;
        browser.click("#export").await;
        browser.find("#record textarea").await;
    }
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_game_is_reviewed_and_a_mistake_tried_again() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    // A random game has mistakes. Its turns are two taps: of one tap a hint would tell the whole.
    let script = Script::random("jeson-mor", &json!({ "size": 5 }));
    let mut request = script.at_one_screen();
    let turns: Vec<_> = script.turns.iter().map(|turn| turn.text.clone()).collect();
    let (last, first) = turns.split_last().unwrap();
    request["turns"] = json!(first);
    let made = site.post("/api/games", &request);
    let (id, token) = (made["id"].as_str().unwrap(), made["tokens"][0].as_str().unwrap());
    browser.open(&site.page(&format!("/{id}#{token}"))).await;
    browser.write("#move-text", &format!("{last}\u{E007}")).await;
    browser.find(".card.over").await;
    browser.click("#review").await;
    browser.until_text("#live", "Review done").await;
    browser.find("#review-graph svg").await;
    browser.find("#mistakes button").await;
    browser.click("#next-mistake").await;
    browser.find("#mistakes button[aria-current=true]").await;
    let answer = "/better/.test(document.querySelector('#mistakes').textContent)";
    assert_eq!(browser.value(answer).await, json!(false), "the answer is told before the question");
    browser.find("#tally b").await;
    browser.click("#retry").await;
    browser.until_text("#moment", "Find something better").await;
    let lines = browser.value("document.querySelectorAll('#lines li').length").await;
    assert_eq!(lines, json!(0), "lines that tell the answer");
    // What was played stays visible, and is never an answer.
    browser.find(".marks .hint.past").await;
    let played = browser
        .value("document.querySelector('#moment').firstChild.textContent.trim().split(' ').at(-1)")
        .await;
    browser.write("#move-text", &format!("{}\u{E007}", played.as_str().unwrap())).await;
    browser.until_text("#moment-words", "Look for another").await;
    browser.until("it is asked again", "!document.querySelector('#moment-hint').hidden").await;
    browser.click("#moment-hint").await;
    browser.find(".marks .hint.spot").await;
    browser.click("#moment-show").await;
    browser.until_text("#moment", "Better than ").await;
    browser.until_text("#mistakes", "Shown").await;
    browser.click("#moment-next").await;
    browser.reload().await;
    browser.find("#mistakes button").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pasted_record_or_position_is_analysed_and_a_wrong_one_explained() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    browser.open(&site.page("/analysis")).await;
    browser.write("#import-text", "[Game \"gekitai\"]\n\n1. c3 zz *").await;
    browser.click("#import").await;
    browser.until_text("#import-error", "zz").await;
    browser.write("#import-text", "[Game \"gekitai\"]\n\n1. c3 d4 2. e2 *").await;
    browser.click("#import").await;
    browser.until_text("#moves", "e2").await;
    browser.open(&site.page("/analysis")).await;
    browser.write("#import-text", "4n/5/2N2/5/5 2").await;
    browser.click("#import").await;
    browser
        .until("it is in the address", "location.pathname.startsWith('/analysis/jeson-mor/')")
        .await;
    // Turns without numbers, a Prolog term, and a record in a file that is dropped on the page.
    browser.open(&site.page("/analysis")).await;
    browser.write("#import-text", "c3 d4 e2").await;
    browser.click("#import").await;
    browser.click("#import-which [data-game=gekitai]").await;
    browser.until_text("#moves", "e2").await;
    browser.open(&site.page("/analysis")).await;
    browser.write("#import-text", "c1-d3").await;
    browser.click("#import").await;
    browser.until_text("#moves", "c1-d3").await;
    browser.open(&site.page("/analysis")).await;
    let row = "[empty,empty,empty,empty,empty,empty]";
    let term = format!("[[plyr1,empty,empty,empty,empty,plyr2],{}]", [row; 5].join(","));
    browser.write("#import-text", &term).await;
    browser.click("#import").await;
    browser.find("#lines").await;
    browser.open(&site.page("/analysis")).await;
    browser.find("#import-file").await;
    let drop = "const data = new DataTransfer(); \
        data.items.add(new File(['[Game \"gekitai\"]\\n\\n1. c3 d4 2. e2 *'], 'game.txt')); \
        dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }))";
    browser.script(drop).await;
    browser.until_text("#moves", "e2").await;
    // An error in a file is visible, whichever tab was open.
    browser.script(&drop.replace("d4 2. e2", "zz")).await;
    let seen = "document.querySelector('#import-error').checkVisibility()";
    browser.until("what is wrong", seen).await;
    browser.until_text("#import-error", "zz").await;
    let record = "[Game \"gekitai\"]\\n\\n1. c3 d4 2. e2 *";
    browser.script(&drop.replace(record, "(;GM[gekitai];B[c3];W[d4];B[f1])")).await;
    browser.until_text("#moves", "f1").await;
    browser.close_after_refusals().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_editor_sets_up_a_position_and_explains_what_cannot_be() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    browser.open(&site.page("/editor/gekitai")).await;
    browser.click("#cell-a1").await;
    browser.until_text("#live", "a1").await;
    browser.click("#cell-b1").await;
    browser
        .until("two markers", "document.querySelector('#edit-text').value.startsWith('xx')")
        .await;
    browser.write("#edit-text", "7/6/6/6/6/6 1\u{E007}").await;
    browser.until("an explanation", "document.querySelector('#edit-error').textContent").await;
    browser.reload().await;
    browser.until("the same", "document.querySelector('#edit-text')?.value.startsWith('xx')").await;
    browser.click("#edit-analyse").await;
    browser.until_text("#lines", "c1").await;
    browser.close_after_refusals().await;
}

/// How many turns are left, as the page says.
const LEFT: &str =
    "Number(document.querySelector('#distance')?.textContent.match(/in (\\d+)/)?.[1] ?? 0)";

/// Plays the turns that lose soonest against a proof, until it has won.
async fn lose_to_a_proof(browser: &Browser, within: u32) {
    browser.until("the distance is told", &format!("{LEFT} > 0")).await;
    let mut left = within + 1;
    loop {
        let now = browser.value(LEFT).await.as_u64().unwrap() as u32;
        if now == 0 {
            browser.until_text("#distance", "has won").await;
            // There is nothing to choose any more.
            let asks = "document.querySelector('.stage').checkVisibility()";
            return assert_eq!(browser.value(asks).await, json!(false), "a turn is asked for");
        }
        assert!(now < left, "{now} turns are left after {left}");
        left = now;
        let played = browser.value("document.querySelectorAll('.turns [data-ply]').length").await;
        let played = played.as_u64().unwrap();
        let worst = "[...document.querySelectorAll('#worths dd')].at(-1).textContent.split(' ')[0]";
        let turn = browser.value(worst).await;
        browser.until("one may move", "!document.querySelector('#move-text').disabled").await;
        browser.write("#move-text", &format!("{}\u{E007}", turn.as_str().unwrap())).await;
        browser.find(&format!(".turns [data-ply=\"{}\"]", played + 1)).await;
        let told = format!(
            "document.querySelectorAll('#worths dd').length > 0 && {LEFT} < {now} \
             || /won/.test(document.querySelector('#distance').textContent)"
        );
        browser.until("the win is nearer", &told).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_is_played_against_and_every_turn_says_how_far_the_win_is() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    browser.open(&site.page("/")).await;
    browser.click("#results").await;
    browser.click("[data-game=gekitai] li:first-of-type a").await;
    browser
        .until("all first turns", "document.querySelectorAll('.values .value').length === 36")
        .await;
    browser.until_text("#worths", "O wins in 26 turns at most").await;
    // The best turn has the count of the position.
    browser.until_text("#distance", "X wins in 19 more turns").await;
    let best = "document.querySelector('#worths dt').textContent";
    assert_eq!(browser.value(best).await, json!("X wins in 19 turns at most"));
    browser.click("#begin").await;
    browser.find(".turns [data-ply=\"1\"]").await;
    lose_to_a_proof(&browser, 19).await;
    browser.click("#nav-first").await;
    browser.until("the first position again", &format!("{LEFT} === 19")).await;
    browser.click("#take-back").await;
    browser.until("one may go on", "document.querySelectorAll('#worths dd').length > 0").await;
    browser.open(&site.page("/results/jeson-mor/3")).await;
    lose_to_a_proof(&browser, 11).await;
    // The other way round: playing the winning side, which is told what each turn has cost.
    browser.open(&site.page("/results/gekitai")).await;
    browser.click("#practise").await;
    browser.until_text("#distance-why", "No turn is wasted so far").await;
    browser.click("#cell-c3").await;
    browser.find(".turns [data-ply=\"2\"]").await;
    browser.until_text("#distance", "X wins in 18 more turns").await;
    let told = browser.value("document.querySelectorAll('#worths dd').length").await;
    assert_eq!(told, json!(0), "the turns that win are told");
    let bad = "[...document.querySelectorAll('.cells button.grab')].map(b => b.dataset.name)";
    let cell = browser.value(&format!("{bad}.find(name => 'a1 a6 f1 f6'.includes(name))")).await;
    browser.click(&format!("#cell-{}", cell.as_str().unwrap())).await;
    browser.until_text("#distance-why", "take that turn back").await;
    browser.click("#take-back").await;
    browser.until_text("#distance-why", "No turn is wasted so far").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_set_answers_on_either_side_and_what_is_open_says_so() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    browser.open(&site.page("/results/gekitai/4")).await;
    browser.find("main[data-ready]").await;
    browser.write("#move-text", "b2\u{E007}").await;
    browser.find(".turns [data-ply=\"2\"]").await;
    browser.until_text("#distance", "Nobody can force a win").await;
    browser.click("#again").await;
    browser.click("#other").await;
    browser.find(".turns [data-ply=\"1\"]").await;
    browser.open(&site.page("/results/six-making")).await;
    browser.until_text("#says", "Open").await;
    let begin = browser.value("document.querySelector('#begin').hidden").await;
    assert_eq!(begin, json!(true), "there is nothing to play against");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_are_shown_with_pictures() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1000, 800).await;
    for game in super::games() {
        browser.open(&site.page(&format!("/rules/{game}"))).await;
        browser.find("main[data-ready] h1").await;
        let pictures = "[...document.querySelectorAll('main img, main article svg')]";
        browser.until("pictures", &format!("{pictures}.length > 2")).await;
    }
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_puzzle_that_was_failed_is_refuted_and_does_not_count_as_solved() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    let asked = json!({ "game": "gekitai", "number": 1, "solution": true });
    let puzzle = site.post("/api/puzzle", &asked);
    let solution = puzzle["solution"].as_array().unwrap();
    let first = solution[0].as_str().unwrap();
    let steps = puzzle["view"]["steps"].as_array().unwrap();
    let wrong = steps.iter().map(|step| step["text"].as_str().unwrap()).find(|text| *text != first);
    browser.open(&site.page("/puzzles/gekitai/1")).await;
    browser.write("#move-text", &format!("{}\u{E007}", wrong.unwrap())).await;
    browser.until_text("#puzzle-words", "Try again").await;
    browser.until_text("#puzzle-words", "answers").await;
    browser.until_text("#puzzle-standing", "Your rating").await;
    browser.click("#puzzle-retry").await;
    // Whatever the defence, the engine finds the rest.
    for _ in 0..puzzle["within"].as_u64().unwrap() {
        browser.until("a turn to make", "document.querySelector('#prompt.mine')").await;
        let turns = browser
            .value("[...document.querySelectorAll('.turns [data-ply]')].map(b => b.textContent)")
            .await;
        let position = puzzle["view"]["text"].clone();
        let place = json!({ "game": "gekitai", "position": position, "turns": turns });
        let played = turns.as_array().unwrap().len();
        let best = match played {
            0 => json!(first),
            _ => site.post("/api/hint", &place)["engine"]["turn"].clone(),
        };
        browser.write("#move-text", &format!("{}\u{E007}", best.as_str().unwrap())).await;
        let listed = format!("document.querySelectorAll('.turns [data-ply]').length > {played}");
        browser.until("it is played", &listed).await;
        let over = "['solved', 'right'].includes(document.querySelector('#puzzle-words').dataset.progress)";
        browser.until("it is judged", over).await;
    }
    browser.until_text("#puzzle-words", "after a wrong turn").await;
    browser.open(&site.page("/puzzles/gekitai")).await;
    browser.find(".numbers a.helped").await;
    let solved = browser.value("document.querySelectorAll('.numbers a.solved').length").await;
    assert_eq!(solved, json!(0), "solved after a wrong turn");
    browser.close_after_refusals().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lesson_is_missed_shown_and_done() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    browser.open(&site.page("/learn/gekitai/2")).await;
    browser.click("#cell-f6").await;
    browser.until_text("#lesson-words", "Try again").await;
    browser.click("#lesson-again").await;
    browser.click("#lesson-show").await;
    browser.until_text("#lesson-words", "b3").await;
    browser.click("#cell-b3").await;
    browser.until_text("#lesson-words", "Well done").await;
    browser.click("#lesson-game").await;
    browser.until_text(".task", "small game").await;
    browser.click("#cell-e5").await;
    browser
        .until(
            "the novice answers",
            "/from|nothing|wins/.test(document.querySelector('#live').textContent)",
        )
        .await;
    browser.open(&site.page("/learn/gekitai/2")).await;
    browser.click("#cell-b3").await;
    browser.click("#lesson-next").await;
    browser.until("the next", "location.pathname.endsWith('/3')").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn arrows_are_drawn_threats_are_told_and_another_board_is_kept() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    browser.open(&site.page("/analysis/gekitai/6/1x2o1/2x3/6/1o2o1/6_1")).await;
    browser.find("main[data-ready] #lines li").await;
    let draw = "const at = (cell, type, target) => { \
        const { x, y, width, height } = document.querySelector(cell).getBoundingClientRect(); \
        const place = { clientX: x + width / 2, clientY: y + height / 2 }; \
        (target ?? document.querySelector(cell)).dispatchEvent( \
            new PointerEvent(type, { ...place, button: 2, bubbles: true })); }; \
        at('#cell-a1', 'pointerdown'); at('#cell-c3', 'pointerup', window); \
        at('#cell-f6', 'pointerdown'); at('#cell-f6', 'pointerup', window);";
    let drawn = "document.querySelectorAll('.marks .sketch:not(.casing), .sketch-ring').length";
    browser.script(draw).await;
    browser.until("an arrow and a circle", &format!("{drawn} === 2")).await;
    browser.script(draw).await;
    browser.until("they are gone", &format!("{drawn} === 0")).await;
    browser.keys("b").await;
    browser.until_text("#threats", "X can win at once, by").await;
    browser.keys("\u{E00C}").await;
    browser.click("#settings-open").await;
    browser.click("#settings label:has(input[value=wood])").await;
    browser.click("#settings label:has(input[value=small])").await;
    let wide = "document.querySelector('.board').clientWidth";
    let small = browser.value(wide).await.as_u64().unwrap();
    browser.reload().await;
    browser.find("main[data-ready] .board svg").await;
    let kept = browser.value("document.documentElement.dataset.board").await;
    assert_eq!((kept, browser.value(wide).await), (json!("wood"), json!(small)));
    assert!(small < 600, "the board is {small} px wide");
    browser.close().await;
}
