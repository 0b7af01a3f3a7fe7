//! The drawing: boxes for nouns, frames around those with parts, bands for stages, and arrows.

use super::layout::{Layout, Node, Rect, Sketch, layout};
use super::told::{Declared, STAGES, Told};
use crate::report::words::counted;
use serde::Serialize;
use slipform_model::graph::EdgeKind;

/// The width of a character of a name, in tenths.
const NAME: usize = 73;
/// That of a character of the line below, in tenths.
const NOTE: usize = 61;
/// Left and right of the text of a box, together.
const BESIDE: usize = 28;
/// The narrowest box.
const NARROWEST: usize = 128;
/// The most characters of a name. Of a longer one both ends are seen: either may tell it from others.
const LONGEST: usize = 34;

/// Arrows up to which each is drawn in full.
const MANY: usize = 60;

/// A drawing, in the units of its own size.
#[derive(Serialize)]
pub(super) struct Picture {
    pub(super) width: i32,
    pub(super) height: i32,
    bands: Vec<Band>,
    frames: Vec<Rect>,
    /// By the numbers of the nouns.
    cards: Vec<Card>,
    arrows: Vec<Arrow>,
    /// Whether the arrows are so many that each is faint.
    many: bool,
}

#[derive(Serialize)]
struct Band {
    stage: usize,
    title: &'static str,
    note: String,
    place: Rect,
}

#[derive(Serialize)]
struct Card {
    place: Rect,
    /// The path, as far as it fits.
    label: String,
    /// How much it renders to.
    note: String,
}

#[derive(Serialize)]
struct Arrow {
    from: usize,
    to: usize,
    what: String,
    way: String,
}

impl Picture {
    pub(super) fn of(told: &Told) -> Self {
        let mut cards: Vec<Card> = told.nouns.iter().map(Card::of).collect();
        let mut arrows: Vec<Arrow> =
            (0..).zip(&told.nouns).flat_map(|(from, noun)| arrows(from, noun, told)).collect();
        let nodes = told.nouns.iter().zip(&cards).map(|(noun, card)| Node {
            stage: noun.stage,
            within: noun.parent,
            width: card.width(&noun.kind),
        });
        let Layout { width, height, boxes, frames, bands, ways } = layout(&Sketch {
            nodes: nodes.collect(),
            arrows: arrows.iter().map(|it| (it.from, it.to)).collect(),
        });
        for (card, place) in cards.iter_mut().zip(boxes) {
            card.place = place;
        }
        for (arrow, way) in arrows.iter_mut().zip(ways) {
            arrow.way = way;
        }
        let bands = bands.into_iter().map(|(stage, place)| Band::of(stage, place, told)).collect();
        let many = arrows.len() > MANY;
        Self { width, height, bands, frames, cards, arrows, many }
    }
}

/// What is drawn of what a noun needs: being part of what it stands below is seen without.
fn arrows(from: usize, noun: &Declared, told: &Told) -> Vec<Arrow> {
    let stage = |noun: usize| told.nouns.get(noun).map(|it| it.stage);
    let is_drawn = |(to, what): &&(usize, String)| {
        what != EdgeKind::PartOf.as_str() || stage(*to) != Some(noun.stage)
    };
    let drawn = noun.needs.iter().filter(is_drawn);
    drawn
        .map(|(to, what)| Arrow { from, to: *to, what: what.clone(), way: String::new() })
        .collect()
}

impl Band {
    fn of(stage: usize, place: Rect, told: &Told) -> Self {
        let title = STAGES.get(stage).map_or("", |(title, _)| *title);
        let count = told.nouns.iter().filter(|noun| noun.stage == stage).count();
        Self { stage, title, note: counted(count, "noun"), place }
    }
}

impl Card {
    fn of(noun: &Declared) -> Self {
        let note = match noun.files.len() {
            0 => String::new(),
            count => counted(count, "file"),
        };
        Self { place: Rect::default(), label: shortened(&noun.path), note }
    }

    fn width(&self, kind: &str) -> i32 {
        let name = cells(&self.label) * NAME / 10;
        let below = (cells(kind) + cells(&self.note) + 3) * NOTE / 10;
        (name.max(below) + BESIDE).max(NARROWEST) as i32
    }
}

/// How wide a text is in characters of one width: what is not of Latin letters may be as wide as two.
fn cells(text: &str) -> usize {
    text.chars().map(|c| if (c as u32) < 0x1100 { 1 } else { 2 }).sum()
}

fn shortened(text: &str) -> String {
    if cells(text) <= LONGEST {
        return text.to_owned();
    }
    let half = |chars: &mut dyn Iterator<Item = char>| -> Vec<char> {
        let mut room = LONGEST / 2 - 1;
        let fits = |c: &char| {
            let taken = cells(c.encode_utf8(&mut [0; 4]));
            let fits = taken <= room;
            room = room.saturating_sub(taken);
            fits
        };
        chars.take_while(fits).collect()
    };
    let (head, tail) = (half(&mut text.chars()), half(&mut text.chars().rev()));
    head.into_iter().chain(['…']).chain(tail.into_iter().rev()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_both_ends() {
        let long = "train[\"us-east4-a\"][\"language-of-the-north\"]";
        assert_eq!(shortened(long), "train[\"us-east4-…e-of-the-north\"]");
        assert_eq!(shortened("pretrain"), "pretrain");
        assert!(cells(&shortened(&"雪".repeat(40))) <= LONGEST);
    }
}
