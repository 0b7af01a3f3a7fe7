//! The ways of arrows: curves between lanes, and straight through the gaps of those that lie between, never across a box.

use super::layout::Rect;
use std::fmt::Write as _;

/// From the border of a gap to an arrow in it.
const CLEAR: i32 = 4;
/// How far an arrow to the same lane goes out.
const BULGE: i32 = 26;

/// One column of blocks.
pub(super) struct Lane {
    pub(super) x: i32,
    pub(super) width: i32,
    /// From where to where each block reaches, from above.
    pub(super) taken: Vec<(i32, i32)>,
}

impl Lane {
    /// The height nearest to one at which nothing is in the way.
    fn free(&self, y: i32) -> i32 {
        let at = self.taken.partition_point(|(_, bottom)| bottom + CLEAR <= y);
        let Some((top, bottom)) = self.taken.get(at) else { return y };
        if y <= top - CLEAR {
            return y;
        }
        let (above, below) = (top - CLEAR, bottom + CLEAR);
        // The first block of a lane has the heading above it.
        if at > 0 && y - above <= below - y { above } else { below }
    }
}

/// The way from a box in a lane to a box in another, as SVG writes it.
pub(super) fn way(lanes: &[Lane], from: (usize, Rect), to: (usize, Rect)) -> String {
    let ((start, a), (end, b)) = (from, to);
    let mut out = String::new();
    if start == end {
        let x = a.x - BULGE;
        let _ = write!(
            out,
            "M{} {}C{x} {} {x} {} {} {}",
            a.x,
            a.middle(),
            a.middle(),
            b.middle(),
            b.x,
            b.middle()
        );
        return out;
    }
    let leftwards = end < start;
    let (first, last) = if leftwards { (a.x, b.right()) } else { (a.right(), b.x) };
    let between = lanes.get(start.min(end) + 1..start.max(end)).unwrap_or_default();
    let mut passed: Vec<&Lane> = between.iter().collect();
    if leftwards {
        passed.reverse();
    }
    let (mut x, mut y) = (first, a.middle());
    let _ = write!(out, "M{x} {y}");
    for (done, lane) in passed.iter().enumerate() {
        let left = (passed.len() - done + 1) as i32;
        let next = lane.free(y + (b.middle() - y) / left);
        let (near, far) =
            if leftwards { (lane.x + lane.width, lane.x) } else { (lane.x, lane.x + lane.width) };
        bend(&mut out, (x, y), (near, next));
        let _ = write!(out, "H{far}");
        (x, y) = (far, next);
    }
    bend(&mut out, (x, y), (last, b.middle()));
    out
}

/// A curve that leaves and arrives level.
fn bend(out: &mut String, (x, y): (i32, i32), (to_x, to_y): (i32, i32)) {
    let middle = (x + to_x) / 2;
    let _ = match y == to_y {
        true => write!(out, "H{to_x}"),
        false => write!(out, "C{middle} {y} {middle} {to_y} {to_x} {to_y}"),
    };
}
