//! What failures mean: the rules of a JobSet, and those of its Jobs, by which it tells reasons apart.
//!
//! What the blueprint says comes first, in its order. Behind it stands what `restarts` means: the gangs start again as one, a
//! command that cannot start and a run that took too long end it at once, and a node that was taken away does not count.

use super::context::{Context, text};
use super::jobset::{deadline, deciding};
use super::objects::{
    ExitCodes, FailurePolicy, FailureRule, PodCondition, PodFailurePolicy, PodFailureRule, Text,
};
use super::pod::Run;
use slipform_model::plan::{self, Gang, Reaction, Then};
use std::collections::BTreeSet;

/// Exit statuses of a shell for a command that cannot be run or found: starting again does not mend it.
const UNSTARTABLE: [i64; 2] = [126, 127];

/// What JobSet reads of the reason for a Job that failed with a node that was taken away.
const DISRUPTED: &str = ".*condition DisruptionTarget .*";

/// The rules of a JobSet.
pub(super) fn failure_policy<'a>(cx: &Context<'_>, run: Run<'a>) -> FailurePolicy<'a> {
    let mut rules: Vec<FailureRule<'a>> = Vec::new();
    for (at, reaction) in run.plan.on_failure.iter().enumerate() {
        rules.push(said(run, at, reaction));
    }
    if restarts(run) {
        let implied = implied(cx, run);
        rules.extend(implied);
    }
    FailurePolicy { max_restarts: run.body.restarts.value, rules }
}

/// What a line of the blueprint comes to.
fn said<'a>(run: Run<'a>, at: usize, reaction: &'a Reaction) -> FailureRule<'a> {
    let plan::Reaction { then, exit_codes, disrupted, roles, span: _ } = reaction;
    let told = !exit_codes.is_empty() || *disrupted;
    let codes = (!exit_codes.is_empty()).then(|| message(exit_codes));
    let disruption = disrupted.then(|| DISRUPTED.into());
    FailureRule {
        name: format!("rule{}", at + 1).into(),
        action: match then {
            Then::Fail => "FailJobSet",
            Then::Restart => "RestartJobSet",
            Then::Forgive => "RestartJobSetAndIgnoreMaxRestarts",
        },
        on_job_failure_reasons: if told { vec!["PodFailurePolicy"] } else { Vec::new() },
        on_job_failure_message_patterns: codes.into_iter().chain(disruption).collect(),
        target_replicated_jobs: if roles.is_empty() {
            deciding(run).collect()
        } else {
            roles.iter().map(|role| text(role)).collect()
        },
    }
}

/// What the restarts of a run mean.
fn implied<'a>(cx: &Context<'_>, run: Run<'a>) -> Vec<FailureRule<'a>> {
    let rule = |name: &'static str, action, reason, patterns| FailureRule {
        name: name.into(),
        action,
        on_job_failure_reasons: vec![reason],
        on_job_failure_message_patterns: patterns,
        target_replicated_jobs: deciding(run).collect(),
    };
    let mut rules = Vec::new();
    if deadline(run).is_some() {
        rules.push(rule("tooLong", "FailJobSet", "DeadlineExceeded", Vec::new()));
    }
    if reads_messages(cx) {
        let patterns = vec![message(&UNSTARTABLE)];
        rules.push(rule("unstartable", "FailJobSet", "PodFailurePolicy", patterns));
    }
    let forgiven = "RestartJobSetAndIgnoreMaxRestarts";
    rules.push(rule("disrupted", forgiven, "PodFailurePolicy", Vec::new()));
    rules
}

/// What JobSet reads of the reason for a failed Job with one of these exit codes.
fn message<'a>(codes: &[i64]) -> Text<'a> {
    let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
    format!(".*exit code ({}) .*", codes.join("|")).into()
}

/// Tells the reasons of a failed Job apart, for the rules of the JobSet; none where these ask for no reason.
pub(super) fn pod_failure_policy<'a>(
    cx: &Context<'_>,
    run: Run<'a>,
    gang: &'a Gang,
) -> Option<PodFailurePolicy<'a>> {
    let said = &run.plan.on_failure;
    let own = said.iter().filter(|it| it.roles.is_empty() || it.roles.contains(&gang.role));
    let mut codes: BTreeSet<i64> =
        own.clone().flat_map(|it| it.exit_codes.iter().copied()).collect();
    let mut disruptions = own.clone().any(|it| it.disrupted);
    if restarts(run) {
        // a node that starts again by itself does so where it was taken away, too
        disruptions |= gang.retries == 0;
        if reads_messages(cx) {
            codes.extend(UNSTARTABLE);
        }
    }
    let mut rules = Vec::new();
    if !codes.is_empty() {
        let codes = codes.into_iter().filter_map(|code| i32::try_from(code).ok());
        rules.push(PodFailureRule {
            action: "FailJob",
            on_exit_codes: Some(ExitCodes {
                container_name: text(&gang.pod.container),
                operator: "In",
                values: codes.collect(),
            }),
            on_pod_conditions: Vec::new(),
        });
    }
    if disruptions || gang.retries > 0 {
        rules.push(PodFailureRule {
            // a node that starts again by itself is not counted where it was taken away
            action: if disruptions { "FailJob" } else { "Ignore" },
            on_exit_codes: None,
            on_pod_conditions: vec![PodCondition { kind: "DisruptionTarget", status: "True" }],
        });
    }
    (!rules.is_empty()).then_some(PodFailurePolicy { rules })
}

fn restarts(run: Run<'_>) -> bool {
    run.body.restarts.value > 0
}

/// Whether the installed JobSet tells failures apart by their messages.
fn reads_messages(cx: &Context<'_>) -> bool {
    cx.jobset.has("failure_messages")
}
