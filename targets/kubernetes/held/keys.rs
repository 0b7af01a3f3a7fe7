//! Labels and annotations of JobSets and pods that controllers read, and the forms in which they do.

/// Whose labels and annotations are all known: GKE's bucket driver and networks, Kueue, JobSet.
pub(super) const OWNERS: [&str; 5] = [
    "gke-gcsfuse",
    "kueue.x-k8s.io",
    "networking.gke.io",
    "jobset.sigs.k8s.io",
    "alpha.jobset.sigs.k8s.io",
];

/// Annotations of JobSets and pods, from the pages of their readers.
pub(super) const ANNOTATIONS: &[(&str, Form)] = &[
    ("gke-gcsfuse/volumes", Form::Truth),
    ("gke-gcsfuse/cpu-limit", Form::Amount),
    ("gke-gcsfuse/cpu-request", Form::Amount),
    ("gke-gcsfuse/memory-limit", Form::Amount),
    ("gke-gcsfuse/memory-request", Form::Amount),
    ("gke-gcsfuse/ephemeral-storage-limit", Form::Amount),
    ("gke-gcsfuse/ephemeral-storage-request", Form::Amount),
    ("gke-gcsfuse/metadata-prefetch-cpu-limit", Form::Amount),
    ("gke-gcsfuse/metadata-prefetch-cpu-request", Form::Amount),
    ("gke-gcsfuse/metadata-prefetch-memory-limit", Form::Amount),
    ("gke-gcsfuse/metadata-prefetch-memory-request", Form::Amount),
    ("gke-gcsfuse/metadata-prefetch-ephemeral-storage-limit", Form::Amount),
    ("gke-gcsfuse/metadata-prefetch-ephemeral-storage-request", Form::Amount),
    ("networking.gke.io/interfaces", Form::Json),
    ("networking.gke.io/default-interface", Form::Name),
    ("kueue.x-k8s.io/podset-required-topology", Form::Name),
    ("kueue.x-k8s.io/podset-preferred-topology", Form::Name),
    ("kueue.x-k8s.io/podset-unconstrained-topology", Form::Truth),
    ("kueue.x-k8s.io/podset-slice-required-topology", Form::Name),
    ("kueue.x-k8s.io/podset-slice-size", Form::Count),
    ("kueue.x-k8s.io/podset-group-name", Form::Name),
    ("kueue.x-k8s.io/job-min-parallelism", Form::Count),
    ("kueue.x-k8s.io/job-completions-equal-parallelism", Form::Truth),
    ("kueue.x-k8s.io/pod-group-total-count", Form::Count),
    ("kueue.x-k8s.io/retriable-in-group", Form::Truth),
    ("kueue.x-k8s.io/safe-to-forcefully-delete", Form::Truth),
    ("kueue.x-k8s.io/elastic-job", Form::Truth),
    ("alpha.jobset.sigs.k8s.io/exclusive-topology", Form::Name),
    ("alpha.jobset.sigs.k8s.io/node-selector", Form::Truth),
    ("jobset.sigs.k8s.io/coordinator", Form::Name),
];

/// Labels of the same.
pub(super) const LABELS: &[(&str, Form)] = &[
    ("kueue.x-k8s.io/queue-name", Form::Name),
    ("kueue.x-k8s.io/priority-class", Form::Name),
    ("kueue.x-k8s.io/max-exec-time-seconds", Form::Count),
    ("kueue.x-k8s.io/prebuilt-workload-name", Form::Name),
    ("kueue.x-k8s.io/pod-group-name", Form::Name),
    ("kueue.x-k8s.io/managed", Form::Truth),
    ("jobset.sigs.k8s.io/coordinator", Form::Name),
    ("networking.gke.io/service-type", Form::Text),
];

/// The one annotation of the kind that is no level.
pub(super) const TOPOLOGY_FREE: &str = "kueue.x-k8s.io/podset-unconstrained-topology";

/// What the value of an annotation or a label is.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Truth,
    Count,
    Amount,
    Json,
    Name,
    Text,
}

impl Form {
    /// What it has to be, where it is not.
    pub(super) fn misses(self, value: &str) -> Option<&'static str> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._/".contains(c);
        let (fits, wanted) = match self {
            Self::Truth => (matches!(value, "true" | "false"), "`true` or `false`"),
            Self::Count => {
                (!value.is_empty() && value.chars().all(|c| c.is_ascii_digit()), "a number")
            }
            Self::Amount => (amount(value).is_some(), "an amount, such as `500m` or `5Gi`"),
            Self::Json => (value.trim_start().starts_with(['[', '{']), "a list in JSON"),
            Self::Name => (!value.is_empty() && value.chars().all(plain), "a name"),
            Self::Text => (true, ""),
        };
        (!fits).then_some(wanted)
    }
}

/// A quantity of Kubernetes.
pub(super) fn amount(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 13] = [
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("Pi", 1_125_899_906_842_624.0),
        ("Ei", 1_152_921_504_606_846_976.0),
        ("m", 0.001),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
        ("E", 1e18),
    ];
    let unit = UNITS.iter().find_map(|(unit, by)| Some((text.strip_suffix(unit)?, *by)));
    let (number, by) = unit.unwrap_or((text, 1.0));
    let plain =
        number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+'));
    number.parse::<f64>().ok().filter(|it| plain && *it >= 0.0).map(|it| it * by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn amounts_are_those_of_kubernetes() {
        assert_eq!(amount("500m"), Some(0.5));
        assert_eq!(amount("2Gi"), Some(2_147_483_648.0));
        assert_eq!(amount("16"), Some(16.0));
        for wrong in ["", "lots", "16 Gi", "-1", "Gi", "inf", "nan"] {
            assert_eq!(amount(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_annotation_has_an_owner() {
        let keys: BTreeSet<&str> = ANNOTATIONS.iter().map(|row| row.0).collect();
        assert_eq!(keys.len(), ANNOTATIONS.len());
        for (key, _) in ANNOTATIONS.iter().chain(LABELS) {
            assert!(OWNERS.iter().any(|owner| key.starts_with(&format!("{owner}/"))), "{key}");
        }
    }
}
