//! The covers of the games: a single file that pages refer to, so that no document has to contain them.

use engine::{Entry, GAMES};
use requests::catalogue::picture;

pub(super) const FILE: &str = "covers.svg";

/// The URL in documents, to which the version is added as for other files.
pub(super) const PLACE: &str = "/assets/covers.svg";

/// A drawing: its view box and its content.
struct Cover {
    frame: String,
    inside: String,
}

impl Cover {
    fn of(entry: &Entry) -> Option<Cover> {
        let drawing = picture(entry)?;
        let (opening, inside) = drawing.split_once('>')?;
        let (_, frame) = opening.split_once("viewBox=\"")?;
        let (frame, _) = frame.split_once('"')?;
        // Coordinate labels come last, and are too small for a cover.
        let inside = inside.split("<g data-label").next()?.trim_end_matches("</svg>\n");
        let lines = inside.lines().map(str::trim).collect();
        Some(Cover { frame: frame.to_owned(), inside: lines })
    }
}

/// All covers, as groups named by game. The page that uses them sets the colours.
pub(super) fn file() -> String {
    let group = |entry: &Entry| {
        let Cover { inside, .. } = Cover::of(entry)?;
        let id = entry.info.id;
        Some(format!("<g id=\"{id}\" fill=\"none\" text-anchor=\"middle\">{inside}</g>\n"))
    };
    let groups: String = GAMES.iter().filter_map(group).collect();
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\">\n{groups}</svg>\n")
}

/// An SVG that shows a cover from the file at this URL.
pub(super) fn pointer(entry: &Entry, file: &str) -> Option<String> {
    let (frame, id) = (Cover::of(entry)?.frame, entry.info.id);
    let opening = r#"<svg xmlns="http://www.w3.org/2000/svg""#;
    Some(format!(
        r##"{opening} viewBox="{frame}" aria-hidden="true"><use href="{file}#{id}"/></svg>"##
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_cover_without_coordinates_and_a_short_way_to_it() {
        let file = file();
        for entry in GAMES {
            let id = entry.info.id;
            assert!(file.contains(&format!("<g id=\"{id}\"")), "{id}");
            let pointer = pointer(entry, PLACE).unwrap();
            assert!(pointer.len() < 200 && pointer.contains(&format!("#{id}\"")), "{pointer}");
        }
        assert!(file.contains("data-piece") && !file.contains("data-label"));
        assert_eq!(file.matches("<g").count(), file.matches("</g>").count());
    }
}
