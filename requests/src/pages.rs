//! The rules pages. Not part of the WebAssembly build: they are large, and a page can fetch them as files.

use crate::catalogue::sample;
use crate::given;
use engine::Entry;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use table::{Kind, Refusal};

/// The rules page of a game, as HTML with drawings.
pub fn rules(id: &str) -> Result<String, Refusal> {
    let entry = given::game(id).map_err(|refusal| Refusal { kind: Kind::NotThere, ..refusal })?;
    let mut page = String::new();
    html::push_html(
        &mut page,
        pictures(entry, Parser::new_ext(entry.info.rules, Options::ENABLE_TABLES)),
    );
    Ok(page)
}

/// Replaces the placeholders for pictures by drawings.
fn pictures<'a>(
    entry: &'static Entry,
    page: impl Iterator<Item = Event<'a>>,
) -> impl Iterator<Item = Event<'a>> {
    let mut picture: Option<(String, String)> = None;
    page.filter_map(move |event| match (event, &mut picture) {
        (Event::Start(Tag::Image { dest_url, .. }), _) => {
            let name = dest_url.rsplit(['-', '/']).next().unwrap_or_default();
            let drawing = sample(entry, name.trim_end_matches(".svg")).unwrap_or_default();
            picture = Some((drawing, String::new()));
            None
        }
        (Event::End(TagEnd::Image), Some((drawing, words))) => {
            let words = words.replace('&', "&amp;").replace('"', "&quot;");
            let figure = format!(
                r#"<span class="picture" role="img" aria-label="{words}">{drawing}</span>"#
            );
            picture = None;
            Some(Event::InlineHtml(CowStr::from(figure)))
        }
        (Event::Text(text), Some((_, words))) => {
            words.push_str(&text);
            None
        }
        (_, Some(_)) => None,
        (event, None) => Some(event),
    })
}
