//! Where everything stands: a band for each stage from left to right, in it lanes of blocks, in a block a noun with its parts.
//!
//! Blocks are in the order of the blueprint, which means something to those who wrote it, and in which arrows of a fleet run beside each
//! other; a stage has as many lanes as let most be seen at once. Whole numbers alone decide, so that the same blueprint is the same
//! picture everywhere.

use super::route::{self, Lane};
use serde::Serialize;
use std::collections::BTreeMap;

/// The height of a box.
const BOX: i32 = 42;
/// Between two boxes of a block.
const BOX_GAP: i32 = 6;
/// Between two blocks of a lane: arrows run there.
const BLOCK_GAP: i32 = 18;
/// From a frame to the boxes in it.
const FRAME: i32 = 8;
/// Between two lanes of a band.
const LANE_GAP: i32 = 38;
/// From the sides of a band to what is in it.
const BAND: i32 = 16;
/// Between two bands.
const BAND_GAP: i32 = 58;
/// Above the first block of a band, for its heading.
const HEAD: i32 = 48;
/// Around everything.
const MARGIN: i32 = 16;
/// The shape of the screen that a picture is meant for.
const SCREEN: (i32, i32) = (940, 740);
/// The most lanes that a band is tried with.
const MOST_LANES: i32 = 64;

/// What is laid out.
pub(super) struct Sketch {
    /// A node stands behind the one that it lies in.
    pub(super) nodes: Vec<Node>,
    /// From who needs to what is needed, by their numbers.
    pub(super) arrows: Vec<(usize, usize)>,
}

/// One box.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) stage: usize,
    pub(super) within: Option<usize>,
    pub(super) width: i32,
}

/// A place in the picture.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Rect {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
    pub(super) height: i32,
}

impl Rect {
    pub(super) fn middle(self) -> i32 {
        self.y + self.height / 2
    }

    pub(super) fn right(self) -> i32 {
        self.x + self.width
    }
}

/// Where everything stands.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) width: i32,
    pub(super) height: i32,
    /// For each node.
    pub(super) boxes: Vec<Rect>,
    /// Around the nouns that have parts beside them.
    pub(super) frames: Vec<Rect>,
    /// The stages that have nouns.
    pub(super) bands: Vec<(usize, Rect)>,
    /// For each arrow, as SVG writes ways.
    pub(super) ways: Vec<String>,
}

/// A noun with those of its parts that are of the same stage.
struct Block {
    stage: usize,
    nodes: Vec<usize>,
    width: i32,
}

impl Block {
    fn padding(&self) -> i32 {
        if self.nodes.len() > 1 { FRAME } else { 0 }
    }

    fn height(&self) -> i32 {
        let count = self.nodes.len() as i32;
        count * (BOX + BOX_GAP) - BOX_GAP + 2 * self.padding()
    }
}

/// The blocks of one stage, in order.
struct Band<'a> {
    stage: usize,
    blocks: Vec<&'a Block>,
    width: i32,
}

impl Band<'_> {
    fn height(&self) -> i32 {
        self.blocks.iter().map(|block| block.height() + BLOCK_GAP).sum()
    }

    fn tallest(&self) -> i32 {
        self.blocks.iter().map(|block| block.height()).max().unwrap_or_default()
    }

    /// Its lanes, where none is to be much higher than a limit: each block goes to the shortest, so that the order is from left to
    /// right and from above.
    fn lanes(&self, limit: i32) -> Vec<Vec<&Block>> {
        let count = (self.height() / limit.max(1)).max(1).min(self.blocks.len() as i32);
        let mut lanes: Vec<(i32, Vec<&Block>)> = vec![(0, Vec::new()); count as usize];
        for block in &self.blocks {
            if let Some((height, lane)) = lanes.iter_mut().min_by_key(|(height, _)| *height) {
                *height += block.height() + BLOCK_GAP;
                lane.push(block);
            }
        }
        lanes.into_iter().map(|(_, lane)| lane).collect()
    }
}

/// Lays a sketch out.
pub(super) fn layout(sketch: &Sketch) -> Layout {
    let blocks = blocks(&sketch.nodes);
    let bands = bands(&blocks);
    let limits = {
        let highest = bands.iter().map(Band::height).max().unwrap_or_default();
        let tallest = bands.iter().map(Band::tallest).max().unwrap_or_default();
        (1..=MOST_LANES).map(move |lanes| (highest / lanes).max(tallest))
    };
    // That one is taken of which most is seen at once; of equals the one with the fewest lanes.
    let screenfuls = |it: &Placing| {
        let (width, height) = (i64::from(it.layout.width), i64::from(it.layout.height));
        (width * i64::from(SCREEN.1)).max(height * i64::from(SCREEN.0))
    };
    let placed = limits.map(|limit| Placing::of(&bands, limit, sketch.nodes.len()));
    let Some(Placing { mut layout, lanes, lane_of }) = placed.min_by_key(screenfuls) else {
        return Layout::default();
    };
    let end = |node: usize| {
        let place = layout.boxes.get(node).copied().unwrap_or_default();
        (lane_of.get(node).copied().unwrap_or_default(), place)
    };
    let ways = sketch.arrows.iter().map(|(from, to)| route::way(&lanes, end(*from), end(*to)));
    layout.ways = ways.collect();
    layout
}

fn blocks(nodes: &[Node]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut block_of: Vec<usize> = Vec::with_capacity(nodes.len());
    for (number, node) in nodes.iter().enumerate() {
        let around = node.within.and_then(|at| block_of.get(at).copied());
        let around = around.filter(|at| blocks.get(*at).is_some_and(|it| it.stage == node.stage));
        let at = around.unwrap_or(blocks.len());
        block_of.push(at);
        match blocks.get_mut(at) {
            Some(block) => {
                block.nodes.push(number);
                block.width = block.width.max(node.width);
            }
            None => {
                blocks.push(Block { stage: node.stage, nodes: vec![number], width: node.width })
            }
        }
    }
    blocks
}

/// The stages that have blocks.
fn bands<'a>(blocks: &'a [Block]) -> Vec<Band<'a>> {
    let mut by_stage: BTreeMap<usize, Vec<&Block>> = BTreeMap::new();
    for block in blocks {
        by_stage.entry(block.stage).or_default().push(block);
    }
    let band = |(stage, blocks): (usize, Vec<&'a Block>)| {
        let width = blocks.iter().map(|it| it.width + 2 * it.padding()).max().unwrap_or_default();
        Band { stage, blocks, width }
    };
    by_stage.into_iter().map(band).collect()
}

/// A layout without its arrows, and the lanes between which arrows find their way.
#[derive(Default)]
struct Placing {
    layout: Layout,
    lanes: Vec<Lane>,
    /// For each node.
    lane_of: Vec<usize>,
}

impl Placing {
    fn of(bands: &[Band<'_>], limit: i32, nodes: usize) -> Self {
        let mut placing = Self::default();
        placing.layout.boxes = vec![Rect::default(); nodes];
        placing.lane_of = vec![0; nodes];
        let (mut x, mut bottom) = (MARGIN, MARGIN);
        for band in bands {
            let left = x;
            x += BAND;
            for blocks in band.lanes(limit) {
                bottom = bottom.max(placing.fill(x, band.width, &blocks));
                x += band.width + LANE_GAP;
            }
            x += BAND - LANE_GAP;
            let place = Rect { x: left, y: MARGIN, width: x - left, height: 0 };
            placing.layout.bands.push((band.stage, place));
            x += BAND_GAP;
        }
        for (_, band) in &mut placing.layout.bands {
            band.height = bottom + BAND - MARGIN;
        }
        placing.layout.width = (x - BAND_GAP + MARGIN).max(2 * MARGIN);
        placing.layout.height = bottom + BAND + MARGIN;
        placing
    }

    /// Puts the blocks of a lane below each other, and tells how far down the last one reaches.
    fn fill(&mut self, x: i32, width: i32, blocks: &[&Block]) -> i32 {
        let number = self.lanes.len();
        let mut lane = Lane { x, width, taken: Vec::new() };
        let mut y = MARGIN + HEAD;
        for block in blocks {
            let (inset, height) = (block.padding(), block.height());
            if inset > 0 {
                self.layout.frames.push(Rect { x, y, width, height });
            }
            let mut row =
                Rect { x: x + inset, y: y + inset, width: width - 2 * inset, height: BOX };
            for node in &block.nodes {
                if let Some(place) = self.layout.boxes.get_mut(*node) {
                    *place = row;
                }
                if let Some(lane) = self.lane_of.get_mut(*node) {
                    *lane = number;
                }
                row.y += BOX + BOX_GAP;
            }
            lane.taken.push((y, y + height));
            y += height + BLOCK_GAP;
        }
        self.lanes.push(lane);
        y - BLOCK_GAP
    }
}
