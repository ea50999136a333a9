//! The board as a picture, in terminals that show pictures: in parts, of which only those that changed are sent.
//!
//! A frame has the same board in characters. They give way to a part of the picture wherever nothing lies over it, so
//! that dialogs need to know nothing of pictures.

use crate::output::inline::Protocol;
use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::crossterm::cursor::MoveTo;
use ratatui::crossterm::queue;
use ratatui::crossterm::style::{Attribute, Print, SetAttribute};
use ratatui::layout::Rect;
use resvg::tiny_skia::{BlendMode, IntRect, Pixmap, PixmapPaint, Transform};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::rc::Rc;

/// The picture in a frame.
#[derive(Clone, Debug)]
pub struct Live {
    /// The characters that it covers.
    pub area: Rect,
    pub pixels: Rc<Pixmap>,
    /// The cell under the cursor, which takes the place of what is below.
    pub patch: Option<Patch>,
    /// How many characters a part is wide and high.
    pub part: (u16, u16),
}

/// A small picture in a large one.
#[derive(Clone, Debug)]
pub struct Patch {
    pub place: IntRect,
    pub pixels: Rc<Pixmap>,
}

impl Live {
    /// What is to be seen in a place.
    fn seen(&self, place: IntRect) -> Option<Pixmap> {
        let mut pixels = self.pixels.clone_rect(place)?;
        if let Some(patch) = self.patch_in(place) {
            let (x, y) = (patch.place.x() - place.x(), patch.place.y() - place.y());
            let paint = PixmapPaint { blend_mode: BlendMode::Source, ..PixmapPaint::default() };
            let own = (*patch.pixels).as_ref();
            pixels.draw_pixmap(x, y, own, &paint, Transform::identity(), None);
        }
        Some(pixels)
    }

    /// The whole picture.
    #[cfg(test)]
    pub fn whole(&self) -> Pixmap {
        let (wide, high) = (self.pixels.width(), self.pixels.height());
        self.seen(IntRect::from_xywh(0, 0, wide, high).unwrap()).unwrap()
    }

    fn patch_in(&self, place: IntRect) -> Option<&Patch> {
        self.patch.as_ref().filter(|patch| patch.place.intersect(&place).is_some())
    }

    /// Whether another picture of the same size is the same in a place.
    fn is_same(&self, other: &Live, place: IntRect) -> bool {
        let is_below = || same(&self.pixels, &other.pixels, place);
        if !Rc::ptr_eq(&self.pixels, &other.pixels) && !is_below() {
            return false;
        }
        match (self.patch_in(place), other.patch_in(place)) {
            (None, None) => true,
            _ => self.seen(place) == other.seen(place),
        }
    }

    /// The characters of each part, row by row.
    fn parts(&self) -> Vec<Rect> {
        let Rect { x, y, width, height } = self.area;
        let (wide, high) = (self.part.0.max(1), self.part.1.max(1));
        let rows = (y..y + height).step_by(high.into());
        let part = |y| move |x| Rect::new(x, y, wide, high).intersection(self.area);
        rows.flat_map(|y| (x..x + width).step_by(wide.into()).map(part(y))).collect()
    }

    /// Where the pixels of some of its characters are.
    fn place(&self, part: Rect) -> Option<IntRect> {
        let wide = self.pixels.width() / u32::from(self.area.width).max(1);
        let high = self.pixels.height() / u32::from(self.area.height).max(1);
        let (x, y) = (u32::from(part.x - self.area.x), u32::from(part.y - self.area.y));
        let (width, height) = (u32::from(part.width) * wide, u32::from(part.height) * high);
        IntRect::from_xywh((x * wide) as i32, (y * high) as i32, width, height)
    }

    /// Marks its characters as covered, unless something is drawn over them.
    pub fn claim(&self, buffer: &mut Buffer) {
        set(buffer, self.area, CellDiffOption::Skip);
    }

    /// The parts over which nothing lies; the other ones are left to their characters.
    fn free(&self, buffer: &mut Buffer) -> Vec<bool> {
        let is_free = |part: Rect| {
            let claimed = |at| buffer.cell(at).map(|cell| cell.diff_option);
            let is_free = part.positions().all(|at| claimed(at) == Some(CellDiffOption::Skip));
            if !is_free {
                set(buffer, part, CellDiffOption::None);
            }
            is_free
        };
        self.parts().into_iter().map(is_free).collect()
    }
}

fn set(buffer: &mut Buffer, area: Rect, option: CellDiffOption) {
    for at in area.positions() {
        if let Some(cell) = buffer.cell_mut(at) {
            cell.set_diff_option(option);
        }
    }
}

/// How many parts are remembered: those of the largest board with and without cursor, some megabytes.
const MOST_SENT: usize = 4_000;

/// The pictures that the terminal shows.
#[derive(Default)]
pub struct Shown {
    protocol: Option<Protocol>,
    last: Option<(Live, Vec<bool>)>,
    /// The bytes of parts that were sent, by what they show: a cursor comes back to cells that look as before.
    sent: HashMap<(u32, u64), Vec<u8>>,
    /// Whether characters have been written over it, or the window has another size.
    is_stale: bool,
}

impl Shown {
    /// The terminal was cleared.
    pub fn forget(&mut self) {
        self.is_stale = true;
    }

    /// The bytes that replace what is shown by the picture of this frame, or by none. From now on, the frame's
    /// characters under the picture are left out.
    pub fn update(
        &mut self,
        now: Option<(Protocol, Live)>,
        buffer: &mut Buffer,
    ) -> std::io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let protocol = now.as_ref().map(|(protocol, _)| *protocol);
        let is_alike = |a: &Live, b: &Live| {
            let size = |live: &Live| (live.pixels.width(), live.pixels.height());
            protocol == self.protocol && (a.area, a.part, size(a)) == (b.area, b.part, size(b))
        };
        let last = self.last.take();
        let before = last.as_ref().filter(|(old, _)| now.iter().any(|(_, new)| is_alike(old, new)));
        let before = before.filter(|_| !std::mem::take(&mut self.is_stale));
        if let (Some(old), Some((_, parts)), None) = (self.protocol, &last, before) {
            erase(old, parts, &mut out);
        }
        if before.is_none() || self.sent.len() > MOST_SENT {
            self.sent.clear();
        }
        (self.protocol, self.is_stale) = (protocol, false);
        let Some((protocol, now)) = now else { return Ok(out) };
        let free = now.free(buffer);
        for (number, part) in now.parts().into_iter().enumerate() {
            let Some(place) = now.place(part) else { continue };
            let old = before.filter(|(_, shown)| shown[number]).map(|(old, _)| old);
            if !free[number] {
                if old.is_some() {
                    out.extend(protocol.erasing(number as u32));
                }
                continue;
            }
            if old.is_some_and(|old| old.is_same(&now, place)) {
                continue;
            }
            if old.is_none() {
                blank(part, &mut out)?;
            }
            let Some(pixels) = now.seen(place) else { continue };
            queue!(out, MoveTo(part.x, part.y))?;
            let bytes = self.sent.entry((number as u32, hash(&pixels))).or_insert_with(|| {
                protocol.part(&pixels, number as u32, (part.width, part.height))
            });
            out.extend_from_slice(bytes);
        }
        self.last = Some((now, free));
        Ok(out)
    }

    /// The bytes that remove all pictures.
    pub fn clear(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        if let (Some(protocol), Some((_, parts))) = (self.protocol, self.last.take()) {
            erase(protocol, &parts, &mut out);
        }
        out
    }
}

fn erase(protocol: Protocol, parts: &[bool], out: &mut Vec<u8>) {
    for (number, _) in parts.iter().enumerate().filter(|(_, is_shown)| **is_shown) {
        out.extend(protocol.erasing(number as u32));
    }
}

/// Where a picture is not drawn, the terminal's background must be visible.
fn blank(part: Rect, out: &mut Vec<u8>) -> std::io::Result<()> {
    queue!(out, SetAttribute(Attribute::Reset))?;
    for y in part.y..part.bottom() {
        queue!(out, MoveTo(part.x, y), Print(" ".repeat(part.width.into())))?;
    }
    out.flush()
}

fn hash(pixels: &Pixmap) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(pixels.data());
    hasher.finish()
}

/// Whether two pictures of one size are alike in this place.
fn same(one: &Pixmap, two: &Pixmap, place: IntRect) -> bool {
    let row = one.width() as usize * 4;
    let (left, right) = (place.left() as usize * 4, place.right() as usize * 4);
    (place.top() as usize..place.bottom() as usize).all(|y| {
        let part = y * row + left..y * row + right;
        one.data().get(part.clone()) == two.data().get(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::widgets::{Clear, Widget};
    use resvg::tiny_skia::{Color, Paint};

    const AREA: Rect = Rect::new(2, 1, 8, 4);

    /// A picture of eight by four characters of ten by twenty pixels, with a square of another colour.
    fn live(square: Option<(f32, f32)>) -> Live {
        let mut pixels = Pixmap::new(80, 80).unwrap();
        pixels.fill(Color::WHITE);
        if let Some((x, y)) = square {
            let square = resvg::tiny_skia::Rect::from_xywh(x, y, 5.0, 5.0).unwrap();
            pixels.fill_rect(square, &Paint::default(), Transform::identity(), None);
        }
        Live { area: AREA, pixels: Rc::new(pixels), patch: None, part: (4, 2) }
    }

    /// The same with a black cell there.
    fn patched(live: &Live, (x, y): (i32, i32)) -> Live {
        let mut pixels = Pixmap::new(20, 20).unwrap();
        pixels.fill(Color::BLACK);
        let place = IntRect::from_xywh(x, y, 20, 20).unwrap();
        Live { patch: Some(Patch { place, pixels: Rc::new(pixels) }), ..live.clone() }
    }

    /// The bytes that are sent, and the remaining buffer.
    fn sent(
        shown: &mut Shown,
        protocol: Protocol,
        live: Option<Live>,
        over: Option<Rect>,
    ) -> (String, Buffer) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 8));
        if let Some(live) = &live {
            live.claim(&mut buffer);
        }
        if let Some(over) = over {
            Clear.render(over, &mut buffer);
        }
        let bytes = shown.update(live.map(|live| (protocol, live)), &mut buffer).unwrap();
        (String::from_utf8_lossy(&bytes).into_owned(), buffer)
    }

    #[test]
    fn only_what_changed_is_sent() {
        for (protocol, start) in
            [(Protocol::Kitty, "a=T,"), (Protocol::Iterm, "\x1b]1337"), (Protocol::Sixel, "\x1bP")]
        {
            let mut shown = Shown::default();
            let first = sent(&mut shown, protocol, Some(live(None)), None).0;
            assert_eq!(first.matches(start).count(), 4, "{protocol:?}");
            assert_eq!(sent(&mut shown, protocol, Some(live(None)), None).0, "");
            let moved = sent(&mut shown, protocol, Some(live(Some((50.0, 50.0)))), None).0;
            assert_eq!(moved.matches(start).count(), 1, "{protocol:?}");
            // The lower right part begins in the third row below the first.
            assert!(moved.starts_with("\x1b[4;7H"), "{moved:?}");
            shown.forget();
            let again = sent(&mut shown, protocol, Some(live(None)), None).0;
            assert_eq!(again.matches(start).count(), 4, "{protocol:?}");
        }
    }

    #[test]
    fn a_cursor_changes_the_parts_that_it_leaves_and_enters() {
        let mut shown = Shown::default();
        let live = live(None);
        sent(&mut shown, Protocol::Kitty, Some(live.clone()), None);
        let mut changed = |live: Live| {
            let bytes = sent(&mut shown, Protocol::Kitty, Some(live), None).0;
            bytes.matches("a=T,").count()
        };
        assert_eq!(changed(patched(&live, (5, 5))), 1);
        assert_eq!(changed(patched(&live, (5, 5))), 0);
        assert_eq!(changed(patched(&live, (50, 5))), 2);
        assert_eq!(changed(patched(&live, (30, 30))), 4);
        assert_eq!(changed(live.clone()), 4);
        let seen = patched(&live, (30, 30)).whole();
        let black = seen.pixels().iter().filter(|pixel| pixel.red() == 0).count();
        assert_eq!(black, 400);
    }

    #[test]
    fn characters_come_back_where_something_lies_over_the_picture() {
        let mut shown = Shown::default();
        let live = live(None);
        let (_, free) = sent(&mut shown, Protocol::Kitty, Some(live.clone()), None);
        let skipped = |buffer: &Buffer| {
            AREA.positions().filter(|at| buffer[*at].diff_option == CellDiffOption::Skip).count()
        };
        assert_eq!(skipped(&free), 32);
        let over = Some(Rect::new(3, 2, 1, 1));
        let (bytes, covered) = sent(&mut shown, Protocol::Kitty, Some(live.clone()), over);
        assert_eq!(skipped(&covered), 24);
        assert_eq!(bytes.matches("a=d,d=I").count(), 1);
        let (bytes, _) = sent(&mut shown, Protocol::Kitty, Some(live), None);
        assert_eq!(bytes.matches("a=T").count(), 1);
        let (bytes, _) = sent(&mut shown, Protocol::Kitty, None, None);
        assert_eq!(bytes.matches("a=d,d=I").count(), 4);
    }
}
