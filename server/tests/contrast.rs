//! Measures the contrast of the pages' colours: WCAG AA requires 4.5 between text and background, and 3 between parts
//! of a control or a mark and what surrounds them.

const STYLES: &str = include_str!("../web/styles.css");

/// The light and dark values of a colour with this board; a board inherits what it does not set.
fn colours(board: &str, name: &str) -> [[f64; 3]; 2] {
    let own = STYLES.split_once(&format!("[data-board={board}] {{")).map(|(_, rest)| rest);
    let own = own.and_then(|rest| rest.split_once('}')).map_or("", |(block, _)| block);
    let wanted = format!("--{name}: light-dark(");
    let found = own.split_once(&wanted).or_else(|| STYLES.split_once(&wanted));
    let (_, rest) = found.unwrap_or_else(|| panic!("{name}"));
    let (pair, _) = rest.split_once(')').unwrap();
    let (light, dark) = pair.split_once(", ").unwrap();
    [light, dark].map(|text| {
        let hex = text.strip_prefix('#').unwrap();
        [0, 2, 4].map(|i| f64::from(u8::from_str_radix(&hex[i..i + 2], 16).unwrap()) / 255.0)
    })
}

fn luminance(colour: [f64; 3]) -> f64 {
    let linear = |c: f64| if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    let [r, g, b] = colour.map(linear);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The selectable boards.
const BOARDS: [&str; 4] = ["paper", "wood", "sea", "plain"];

fn check(pairs: &[(&str, &[&str])], least: f64) {
    for (front, grounds) in pairs {
        for (ground, board) in grounds.iter().flat_map(|ground| BOARDS.map(|board| (ground, board)))
        {
            let [fronts, grounds] = [front, ground].map(|name| colours(board, name));
            let [light, dark] = [0, 1].map(|i| contrast(fronts[i], grounds[i]));
            println!("{front} on {ground}, {board}: {light:.2} light, {dark:.2} dark");
            let enough = light >= least && dark >= least;
            assert!(enough, "{front} on {ground}, {board}: {light:.2}, {dark:.2}");
        }
    }
}

#[test]
fn all_text_can_be_read() {
    check(
        &[
            ("ink", &["page", "panel", "sunk", "tint"]),
            ("soft", &["page", "panel", "sunk", "tint"]),
            ("accent", &["page", "panel", "tint"]),
            ("on-accent", &["accent"]),
            ("bad", &["page", "panel"]),
            ("panel", &["bad"]),
            ("warn", &["panel"]),
            ("good", &["page"]),
            ("page", &["ink"]),
            ("board-soft", &["board-tile"]),
        ],
        4.5,
    );
}

#[test]
fn controls_and_marks_stand_out() {
    check(
        &[
            ("edge", &["page", "panel"]),
            ("accent", &["board-cell", "board-alt", "board-goal", "board-tile"]),
            ("bad", &["board-cell", "board-alt"]),
            ("warn", &["board-cell", "board-alt"]),
            ("board-ink", &["board-cell", "board-alt"]),
        ],
        3.0,
    );
}

#[test]
fn every_board_that_is_offered_has_colours_of_its_own() {
    let offered = include_str!("../web/main.js");
    let list = BOARDS.map(|board| format!("'{board}'")).join(", ");
    assert!(offered.contains(&format!("['board', 'Board', [{list}]]")));
    for board in &BOARDS[1..] {
        assert_ne!(colours(board, "board-cell"), colours(BOARDS[0], "board-cell"), "{board}");
    }
}
