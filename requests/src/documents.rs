//! Markdown documents as pages: HTML with the URLs of a site, and sections for a search index. Like the rules pages,
//! not part of the WebAssembly build.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};
use serde::Serialize;

/// A document as HTML, with its sections.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The first heading.
    pub title: String,
    /// The first sentence of its first paragraph.
    pub about: String,
    /// The HTML.
    pub html: String,
    /// The sections, for a search index.
    pub sections: Vec<Section>,
}

/// A heading and the text below it.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Section {
    /// The anchor of the heading; empty above the second heading.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The text, without markup.
    pub text: String,
}

/// Converts a document. `link` maps each link to its URL on the site, or to none if its target is not there.
pub fn page(text: &str, link: impl Fn(&str) -> Option<String>) -> Page {
    let options = Options::ENABLE_TABLES;
    let mut events: Vec<_> = Parser::new_ext(text, options).collect();
    let (mut page, mut section, mut ids) = (Page::default(), Section::default(), Vec::new());
    let mut open: Option<usize> = None;
    let mut is_linked = Vec::new();
    for place in 0..events.len() {
        match &mut events[place] {
            Event::Start(Tag::Heading { .. }) => {
                open = Some(place);
                page.sections.push(std::mem::take(&mut section));
            }
            Event::End(TagEnd::Heading(_)) => {
                let Some(start) = open.take() else { continue };
                let slug = unused(slug(&section.title), &mut ids);
                if page.title.is_empty() {
                    page.title.clone_from(&section.title);
                } else {
                    section.id.clone_from(&slug);
                }
                if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                    *id = Some(slug.into());
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let address = link(dest_url);
                is_linked.push(address.is_some());
                match address {
                    Some(address) => *dest_url = address.into(),
                    None => events[place] = Event::InlineHtml("".into()),
                }
            }
            Event::End(TagEnd::Link) if !is_linked.pop().unwrap_or(true) => {
                events[place] = Event::InlineHtml("".into());
            }
            // Pictures are not part of the site; their alternative text is.
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {
                events[place] = Event::InlineHtml("".into());
            }
            Event::Text(words) => {
                let words = words.to_string();
                let to = if open.is_some() { &mut section.title } else { &mut section.text };
                to.push_str(&words);
                events[place] = Event::Html(escaped(&words).into());
            }
            Event::Code(words) => {
                let words = words.to_string();
                let to = if open.is_some() { &mut section.title } else { &mut section.text };
                to.push_str(&words);
                events[place] =
                    Event::InlineHtml(format!("<code>{}</code>", escaped(&words)).into());
            }
            // The end of a link or of emphasis does not end a word.
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link) => {}
            Event::SoftBreak | Event::HardBreak | Event::End(_)
                if open.is_none() && !section.text.ends_with([' ', '\n']) =>
            {
                section.text.push(' ');
            }
            _ => {}
        }
    }
    page.sections.push(section);
    page.sections.retain(|section| !section.title.is_empty() || !section.text.trim().is_empty());
    let first = page.sections.first().map_or("", |section| section.text.trim());
    page.about = first.split_inclusive(". ").next().unwrap_or_default().trim().to_owned();
    html::push_html(&mut page.html, events.into_iter());
    page
}

/// Text with special characters escaped, including quotes, since links are found by their quotes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The anchor of a heading, as GitHub and others generate it.
fn slug(title: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    };
    title.to_lowercase().chars().filter_map(kept).collect()
}

/// The anchor, numbered if it is already taken.
fn unused(slug: String, taken: &mut Vec<String>) -> String {
    let count = taken.iter().filter(|own| **own == slug).count();
    taken.push(slug.clone());
    if count == 0 { slug } else { format!("{slug}-{count}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A page\n\nIt says `a<b` first. Then more.\n\n## What is known?\n\nSee [there](http.md#limits) \
         and [nowhere](../engine/x.json).\n\n```console\n$ curl 'x=\"/api\"'\n```\n\n## What is known?\n";

    fn example() -> Page {
        page(TEXT, |link| {
            link.strip_suffix(".md#limits").map(|name| format!("/docs/{name}#limits"))
        })
    }

    #[test]
    fn a_document_has_anchors_and_addresses_of_the_site() {
        let page = example();
        assert!(page.html.contains("<h1 id=\"a-page\">A page</h1>"), "{}", page.html);
        assert!(page.html.contains("<h2 id=\"what-is-known\">"), "{}", page.html);
        assert!(page.html.contains("<h2 id=\"what-is-known-1\">"), "{}", page.html);
        assert!(page.html.contains("<a href=\"/docs/http#limits\">there</a> and nowhere."));
        assert!(page.html.contains("a&lt;b"));
        assert!(page.html.contains("'x=&quot;/api&quot;'"), "{}", page.html);
    }

    #[test]
    fn a_document_tells_its_title_and_what_can_be_found() {
        let page = example();
        assert_eq!((&*page.title, &*page.about), ("A page", "It says a<b first."));
        let found: Vec<_> = page.sections.iter().map(|own| (&*own.id, &*own.title)).collect();
        assert_eq!(
            found,
            [
                ("", "A page"),
                ("what-is-known", "What is known?"),
                ("what-is-known-1", "What is known?")
            ]
        );
        assert!(page.sections[1].text.contains("See there and nowhere."));
    }
}
