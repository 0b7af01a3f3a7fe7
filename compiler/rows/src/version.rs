//! GKE versions and zone names: how their text is read.

/// `1.33.4-gke.1036000`. A part that is left out stands for the newest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GkeVersion {
    major: u64,
    minor: u64,
    patch: u64,
    gke: u64,
}

impl GkeVersion {
    /// Reads `1.33`, `1.33.4`, `1.33.4-gke.1036000`, with or without a leading `v`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (numbers, gke) = match text.split_once("-gke.") {
            Some((numbers, gke)) => (numbers, gke.parse().ok()?),
            None => (text, u64::MAX),
        };
        let mut parts = numbers.split('.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        let patch = match parts.next() {
            Some(patch) => patch.parse().ok()?,
            None => u64::MAX,
        };
        if parts.next().is_some() {
            return None;
        }
        Some(Self { major, minor, patch, gke })
    }

    /// `1.33`.
    pub fn branch(&self) -> String {
        format!("{}.{}", self.major, self.minor)
    }

    /// Major and minor, for comparing branches.
    pub fn minor_key(&self) -> (u64, u64) {
        (self.major, self.minor)
    }
}

/// The region of a zone: `us-central1` of `us-central1-ai1a`. Nothing for a region's name.
pub fn region_of(zone: &str) -> Option<&str> {
    let (region, suffix) = zone.rsplit_once('-')?;
    let looks_like_zone = region.contains('-')
        && region.ends_with(|last: char| last.is_ascii_digit())
        && (suffix.len() == 1 || suffix.starts_with("ai"))
        && suffix.ends_with(|last: char| last.is_ascii_lowercase());
    looks_like_zone.then_some(region)
}
