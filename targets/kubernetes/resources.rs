//! What Kueue's manager counts, and as what: `resources` of its configuration.

use super::context::text;
use super::counted::in_words;
use super::objects::{Amount, Text};
use indexmap::IndexMap;
use serde::Serialize;
use slipform_model::nouns::{Countable, Counted, DevicePart};
use std::collections::{BTreeMap, BTreeSet};

/// All of it. Kueue's `apis/config/v1beta2/configuration_types.go`.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resources<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    transformations: Vec<Transformation<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) device_class_mappings: Vec<DeviceClasses<'a>>,
}

/// What is counted for each that pods ask for of a resource.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Transformation<'a> {
    input: &'a str,
    strategy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    multiply_by: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    outputs: BTreeMap<Text<'a>, Amount>,
}

/// Classes of devices that are counted as one resource.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceClasses<'a> {
    name: &'a str,
    device_class_names: BTreeSet<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<Source<'a>>,
}

/// How much of a device a claim takes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Source<'a> {
    Counter(Measure<'a>),
    Capacity(Measure<'a>),
}

/// What its driver tells of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Measure<'a> {
    name: &'a str,
    driver: &'a str,
    device_selector: Selector<'a>,
}

#[derive(Serialize)]
struct Selector<'a> {
    cel: Expression<'a>,
}

#[derive(Serialize)]
struct Expression<'a> {
    expression: Text<'a>,
}

impl<'a> Resources<'a> {
    /// What a cluster says of it.
    pub(crate) fn of(
        counts_as: &'a IndexMap<String, Counted>,
        parts: &'a IndexMap<String, DevicePart>,
    ) -> Self {
        let transformation = |(input, counted): (&'a String, &'a Counted)| {
            let Counted::Each { amounts, times, kept } = counted;
            let amount =
                |(name, amount): (&'a String, &'a Countable)| (text(name), in_words(*amount));
            Transformation {
                input,
                strategy: if *kept { "Retain" } else { "Replace" },
                multiply_by: times.as_deref(),
                outputs: amounts.iter().map(amount).collect(),
            }
        };
        Self {
            transformations: counts_as.iter().map(transformation).collect(),
            device_class_mappings: parts
                .iter()
                .map(|(name, part)| DeviceClasses::parted(name, part))
                .collect(),
        }
    }

    /// Whether nothing is said of it.
    pub(crate) fn is_empty(&self) -> bool {
        self.transformations.is_empty() && self.device_class_mappings.is_empty()
    }
}

impl<'a> DeviceClasses<'a> {
    /// Devices that are counted whole.
    pub(crate) fn whole(name: &'a str, classes: &'a BTreeSet<String>) -> Self {
        let device_class_names = classes.iter().map(String::as_str).collect();
        Self { name, device_class_names, sources: Vec::new() }
    }

    /// Devices that are counted by their parts.
    fn parted(name: &'a str, part: &'a DevicePart) -> Self {
        let measure = |name: &'a str, driver: &'a str, of: &'a Option<String>| {
            let all = || format!("device.driver == {driver:?}").into();
            let expression = of.as_deref().map_or_else(all, text);
            Measure { name, driver, device_selector: Selector { cel: Expression { expression } } }
        };
        let source = match part {
            DevicePart::Counter { name, driver, of, .. } => {
                Source::Counter(measure(name, driver, of))
            }
            DevicePart::Capacity { name, driver, of, .. } => {
                Source::Capacity(measure(name, driver, of))
            }
        };
        let device_class_names = part.classes().iter().map(String::as_str).collect();
        Self { name, device_class_names, sources: vec![source] }
    }
}
