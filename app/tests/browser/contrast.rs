//! Every button can be read, in each of its states, as the browser draws it: WCAG AA asks for 4.5 between text and
//! ground.

use super::driver::{Browser, Driver};
use super::host::{Host, Program};
use super::hosts::kept;
use serde_json::{Value, json};

/// Finds the buttons that cannot be read. Backgrounds are blended as a browser does it.
const UNREADABLE: &str = r#"(() => {
    const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
        .getContext('2d', { willReadFrequently: true });
    const paint = (colour, alpha) => {
        pen.globalAlpha = alpha;
        pen.fillStyle = colour;
        pen.fillRect(0, 0, 1, 1);
        return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (colour) => {
        const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (node) => {
        const around = [];
        for (let one = node; one; one = one.parentElement) around.unshift(getComputedStyle(one));
        let [alpha, ground] = [1, paint(getComputedStyle(document.body).backgroundColor, 1)];
        for (const { opacity, backgroundColor } of around) {
            alpha *= Number(opacity);
            ground = paint(backgroundColor, alpha);
        }
        const text = paint(around.at(-1).color, alpha);
        const [dark, light] = [luminance(ground), luminance(text)].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const buttons = [...document.querySelectorAll('button, .button, .segments span, summary')]
        .filter((one) => one.checkVisibility() && !one.closest('.cells') && one.textContent + (one.querySelector('svg') ? '.' : ''));
    // What cannot be pressed may be fainter, but not gone.
    const least = (one) => (one.disabled ? 2 : 4.5);
    return { count: buttons.length, bad: buttons.filter((one) => contrast(one) < least(one)).map(
        (one) => `${one.id || one.className || one.textContent.trim()}: ${contrast(one).toFixed(2)}`) };
})()"#;

/// The pages that are checked; all of them with `QUADRILLE_LONG=1`.
fn pages() -> &'static [&'static str] {
    const ALL: [&str; 7] = [
        "",
        "?new=glaisher",
        "editor/gekitai",
        "puzzles/gekitai/1",
        "learn/glaisher",
        "analysis/gekitai",
        "results/jeson-mor",
    ];
    if crate::is_long() { &ALL } else { &ALL[..3] }
}

/// The states of a button; all of them with `QUADRILLE_LONG=1`.
fn states() -> &'static [&'static [&'static str]] {
    const ALL: [&[&str]; 4] = [&[], &["hover", "active"], &["hover"], &["focus", "focus-visible"]];
    if crate::is_long() { &ALL } else { &ALL[..2] }
}

/// Checks all buttons as they are, hovered, pressed and focused, in light and dark.
async fn look(browser: &Browser, page: &str) -> usize {
    browser.cdp("DOM.enable", json!({})).await;
    browser.cdp("CSS.enable", json!({})).await;
    let root = browser.cdp("DOM.getDocument", json!({})).await["root"]["nodeId"].clone();
    let query = json!({ "nodeId": root, "selector": "button, .button, .segments span, summary" });
    let nodes = browser.cdp("DOM.querySelectorAll", query).await["nodeIds"].clone();
    let (mut bad, mut count) = (Vec::new(), 0);
    for scheme in ["light", "dark"] {
        browser.prefer(scheme).await;
        for state in states() {
            for node in nodes.as_array().unwrap() {
                let forced = json!({ "nodeId": node, "forcedPseudoClasses": state });
                // A page may have replaced it meanwhile.
                let _ = browser.try_cdp("CSS.forcePseudoState", forced).await;
            }
            let found: Value = browser.value(UNREADABLE).await;
            count += found["count"].as_u64().unwrap() as usize;
            let named = found["bad"].as_array().unwrap().iter();
            bad.extend(named.map(|one| format!("{page} {scheme} {state:?}: {one}")));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    count
}

#[tokio::test(flavor = "multi_thread")]
async fn every_button_can_be_read_in_every_state() {
    let (driver, host) = (Driver::start(), Host::start(Program::Python, "/"));
    let browser = driver.window(1280, 900).await;
    browser.open(&host.page("")).await;
    kept(&browser).await;
    host.release("another");
    let mut count = 0;
    for path in pages() {
        browser.open(&host.page(path)).await;
        browser.find("main[data-ready]").await;
        browser.find("#take-over").await;
        count += look(&browser, path).await;
    }
    assert!(count > 150, "only {count} were looked at");
    browser.close_after_trouble().await;
}
