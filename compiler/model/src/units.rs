//! The quantities of a blueprint: distinct types, not scaled integers, so that `80GiB + 2h` cannot be.
//!
//! Each target spells them its own way (`80Gi`, `--mem=80G`, `"7200s"`); the `Display` here is the blueprint's.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An amount of memory or disk, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename = "$size")]
pub struct Size(pub u64);

/// A length of time, in seconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename = "$duration")]
pub struct Duration(pub u64);

/// The shape of a TPU slice, `4x4x8`: chips along each side.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename = "$topology")]
pub struct Topology(pub Vec<u32>);

/// `3..10`: both ends included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename = "$range")]
pub struct Range(pub i64, pub i64);

const SIZES: [(&str, u64); 10] = [
    ("PiB", 1 << 50),
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("PB", 1_000_000_000_000_000),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
];

const TIMES: [(&str, u64); 5] = [("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];

impl Size {
    /// The amount in whole gibibytes, rounded up.
    pub fn gib(self) -> u64 {
        self.0.div_ceil(1 << 30)
    }

    /// The amount in whole mebibytes, rounded up.
    pub fn mib(self) -> u64 {
        self.0.div_ceil(1 << 20)
    }

    /// The units that a blueprint may use, largest first.
    pub fn units() -> impl Iterator<Item = &'static str> {
        SIZES.iter().map(|(unit, _)| *unit).chain(["B"])
    }
}

impl Duration {
    /// The units that a blueprint may use, largest first.
    pub fn units() -> impl Iterator<Item = &'static str> {
        TIMES.iter().map(|(unit, _)| *unit)
    }
}

impl Topology {
    /// All chips: the product of the sides. Saturates, since a side is not bounded when it is read.
    pub fn chips(&self) -> u64 {
        self.0.iter().fold(1, |product: u64, side| product.saturating_mul(u64::from(*side)))
    }
}

impl Range {
    /// Whether `value` lies in it.
    pub fn contains(self, value: i64) -> bool {
        (self.0..=self.1).contains(&value)
    }
}

/// Why a literal with a unit means nothing, in words for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitError(pub String);

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a literal of digits and letters stands for.
#[derive(Clone, PartialEq, Debug)]
pub enum Quantity {
    /// `80GiB`
    Size(Size),
    /// `2h30m`
    Duration(Duration),
}

impl FromStr for Quantity {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(unit_at);
        if let Some((_, bytes)) = SIZES.iter().find(|(name, _)| *name == unit) {
            return scaled(number, *bytes).map(|bytes| Self::Size(Size(bytes)));
        }
        if unit == "B" {
            return scaled(number, 1).map(|bytes| Self::Size(Size(bytes)));
        }
        duration(text).map(|seconds| Self::Duration(Duration(seconds)))
    }
}

/// Units as people write them elsewhere, in small letters: words, and what Kubernetes calls sizes.
const ELSEWHERE: [(&str, &[&str]); 10] = [
    ("w", &["week", "weeks"]),
    ("d", &["day", "days"]),
    ("h", &["hr", "hrs", "hour", "hours"]),
    ("m", &["min", "mins", "minute", "minutes"]),
    ("s", &["sec", "secs", "second", "seconds"]),
    ("PiB", &["pi"]),
    ("TiB", &["ti"]),
    ("GiB", &["gi"]),
    ("MiB", &["mi"]),
    ("KiB", &["ki"]),
];

impl Quantity {
    /// The same amount with the unit that is certainly meant: `30d` for `30days`, `80GiB` for `80Gi`.
    pub fn respelt(text: &str) -> Option<String> {
        let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
        let unit = unit.to_ascii_lowercase();
        let words = ELSEWHERE.iter().find(|(_, words)| words.contains(&unit.as_str()));
        let known = || Size::units().find(|known| known.eq_ignore_ascii_case(&unit));
        let meant = words.map(|(meant, _)| *meant).or_else(known)?;
        let text = format!("{number}{meant}");
        text.parse::<Self>().is_ok().then_some(text)
    }
}

/// `2h30m`: numbers and units in turn, each unit smaller than the one before.
fn duration(text: &str) -> Result<u64, UnitError> {
    let unknown = |unit: &str| {
        if matches!(unit, "e" | "E") {
            let message = "numbers are written without an exponent: `1e-5` is `0.00001`";
            return UnitError(message.to_owned());
        }
        let sizes: Vec<_> = Size::units().collect();
        let times: Vec<_> = Duration::units().collect();
        UnitError(format!(
            "`{unit}` is no unit; sizes are in {}, times in {}",
            sizes.join(" "),
            times.join(" ")
        ))
    };
    let mut rest = text;
    let (mut seconds, mut last) = (0u64, u64::MAX);
    while !rest.is_empty() {
        let number_end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (number, tail) = rest.split_at(number_end);
        let unit_end = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        let (_, scale) =
            TIMES.iter().find(|(name, _)| *name == unit).ok_or_else(|| unknown(unit))?;
        if *scale >= last {
            return Err(UnitError(format!(
                "`{text}` does not go from larger units to smaller ones"
            )));
        }
        seconds = seconds
            .checked_add(scaled(number, *scale)?)
            .ok_or_else(|| UnitError(format!("`{text}` is too large")))?;
        (last, rest) = (*scale, tail);
    }
    Ok(seconds)
}

/// `number * scale`, which must come out whole.
fn scaled(number: &str, scale: u64) -> Result<u64, UnitError> {
    let wrong = |why: &str| UnitError(format!("`{number}` {why}"));
    let clean = number.replace('_', "");
    let (whole, fraction) = clean.split_once('.').unwrap_or((&clean, ""));
    if whole.is_empty()
        || !clean.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        || fraction.contains('.')
    {
        return Err(wrong("is no number"));
    }
    if fraction.len() > 9 {
        return Err(wrong("has more than nine digits after the point"));
    }
    let digits: u128 = format!("{whole}{fraction}").parse().map_err(|_| wrong("is too large"))?;
    let product = digits.checked_mul(u128::from(scale)).ok_or_else(|| wrong("is too large"))?;
    let divisor = 10u128.pow(fraction.len() as u32);
    if product % divisor != 0 {
        return Err(wrong("does not come out as a whole number of the smallest unit"));
    }
    u64::try_from(product / divisor).map_err(|_| wrong("is too large"))
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = SIZES.iter().filter(|(_, bytes)| self.0 != 0 && self.0.is_multiple_of(*bytes));
        let fits = whole.min_by_key(|(_, bytes)| self.0 / bytes);
        match fits {
            Some((unit, bytes)) => write!(f, "{}{unit}", self.0 / bytes),
            None => write!(f, "{}B", self.0),
        }
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let mut rest = self.0;
        for (unit, seconds) in TIMES.iter().skip(1) {
            if rest >= *seconds {
                write!(f, "{}{unit}", rest / seconds)?;
                rest %= seconds;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, side) in self.0.iter().enumerate() {
            write!(f, "{}{side}", if at == 0 { "" } else { "x" })?;
        }
        Ok(())
    }
}

impl FromStr for Topology {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let sides: Result<Vec<u32>, _> = text.split('x').map(str::parse).collect();
        match sides {
            Ok(sides) if sides.len() > 1 && !sides.contains(&0) => Ok(Self(sides)),
            _ => {
                Err(UnitError(format!("`{text}` is no topology; one is written like 4x4 or 4x4x8")))
            }
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_and_print_the_same() {
        for text in ["80GiB", "1TiB", "500GB", "3B", "2h30m", "7d", "45s", "1d12h"] {
            let shown = match text.parse::<Quantity>() {
                Ok(Quantity::Size(size)) => size.to_string(),
                Ok(Quantity::Duration(duration)) => duration.to_string(),
                Err(error) => panic!("{text}: {error}"),
            };
            assert_eq!(shown, text);
        }
        assert_eq!("1.5TiB".parse(), Ok(Quantity::Size(Size(3 << 39))));
    }

    #[test]
    fn a_wrong_quantity_says_why() {
        let why = |text: &str| text.parse::<Quantity>().unwrap_err().0;
        assert_eq!(
            why("80Gib"),
            "`Gib` is no unit; sizes are in PiB TiB GiB MiB KiB PB TB GB MB KB B, times in w d h m s"
        );
        let meant = |text: &str| Quantity::respelt(text).unwrap_or_default();
        assert_eq!(
            ["80Gib", "80Gi", "30days", "2HOURS"].map(meant),
            ["80GiB", "80GiB", "30d", "2h"]
        );
        assert_eq!(meant("80parsecs"), "");
        assert_eq!(why("30m2h"), "`30m2h` does not go from larger units to smaller ones");
        assert_eq!(why("99999999999PiB"), "`99999999999` is too large");
        assert_eq!(why("0.3B"), "`0.3` does not come out as a whole number of the smallest unit");
    }
}
