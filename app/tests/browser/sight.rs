//! What a turn needs is visible: wherever turns are made, at the sizes of phones, nothing of it is covered or below the
//! fold.

use super::driver::{Browser, Driver};
use super::site::Site;
use crate::is_long;
use serde_json::Value;
use std::time::Duration;

const SIZES: [(u32, u32); 6] =
    [(360, 640), (390, 844), (844, 390), (640, 400), (1024, 700), (1280, 800)];

/// What a finger cannot reach where it is, after scrolling the lists that may be scrolled.
const UNSEEN: &str = r#"(() => {
    const hit = (node, x, y) => {
        const top = document.elementFromPoint(x, y);
        return top !== null && (node.contains(top) || top.contains(node) && top.matches('.cells'));
    };
    const name = (node) => node.id || node.className || node.localName;
    const unseen = (node) => {
        node.scrollIntoViewIfNeeded?.(false);
        const { left, right, top, bottom } = node.getBoundingClientRect();
        if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1) return 'outside';
        // Cells of a hexagon have no corners.
        const corners = node.closest('.cells') ? [] : [[2 * left + 8, 2 * top + 8], [2 * right - 8, 2 * bottom - 8]];
        return [[left + right, top + bottom], ...corners].every(([x, y]) => hit(node, x / 2, y / 2)) ? null : 'covered';
    };
    const box = document.querySelector('.board').getBoundingClientRect();
    const wrong = [];
    if (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1) wrong.push('the board is outside');
    if (box.width < 200) wrong.push(`the board is ${box.width} px wide`);
    const needed = ['.task', '.cells button.grab', '.cells button.target', '.stage .prompt', '.stage header button', '#stage-play', '.chips button'];
    const before = [...document.querySelectorAll('*')].filter((one) => one.scrollTop > 0 && !one.matches('.chips'));
    for (const node of document.querySelectorAll(needed.join(','))) {
        // The way to confirm a turn keeps its place while there is nothing to confirm.
        if (!node.checkVisibility({ visibilityProperty: true })) continue;
        const why = unseen(node);
        if (why) wrong.push(`${name(node)} is ${why}`);
    }
    for (const one of document.querySelectorAll('*'))
        if (one.scrollTop > 0 && !one.matches('.chips, .turns, .moves') && !before.includes(one)) wrong.push(`${name(one)} scrolls`);
    return [...new Set(wrong)].slice(0, 6);
})()"#;

/// What is tapped next: the first part, else the first cell that goes on with the turn or begins one.
const NEXT: &str = "(document.querySelector('.chips button') \
    ?? document.querySelector('.cells button.target') \
    ?? document.querySelector('.cells button.grab')).click()";

/// Makes a turn stage by stage, and checks everything on the way, at these sizes.
async fn look(browser: &Browser, page: &str, sizes: &[(u32, u32)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for stage in 0..5 {
        for (width, height) in sizes {
            browser.resize(*width, *height).await;
            let found = browser.value(UNSEEN).await;
            let found = found.as_array().unwrap().iter().filter_map(Value::as_str);
            wrong.extend(
                found.map(|one| format!("{page} at {width}×{height}, stage {stage}: {one}")),
            );
        }
        let begun = browser.value("document.querySelector('.begun') !== null").await;
        if stage > 0 && begun == false {
            break;
        }
        browser.script(NEXT).await;
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_turn_needs_is_seen_on_every_page_where_turns_are_made() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    let mut wrong = Vec::new();
    // The smallest upright and the lowest across, and every third lesson; all of them with `QUADRILLE_LONG=1`.
    let (sizes, step) = if is_long() { (&SIZES[..], 1) } else { (&[SIZES[0], SIZES[2]][..], 3) };
    for entry in engine::GAMES {
        let game = entry.info.id;
        let lessons =
            (1..=entry.info.lessons.len()).step_by(step).map(|n| format!("/learn/{game}/{n}"));
        let others = [format!("/analysis/{game}"), format!("/puzzles/{game}/1")];
        for page in lessons.chain(others) {
            browser.open(&site.page(&page)).await;
            browser.find("main[data-ready] .cells button.grab").await;
            wrong.extend(look(&browser, &page, sizes).await);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    browser.close().await;
}
