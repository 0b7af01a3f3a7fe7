//! A workload as a JobSet: a replicated job for each of its gangs.

use super::context::Context;
use super::context::text;
use super::failure::{failure_policy, pod_failure_policy};
use super::objects::{
    Channel, ClaimTemplateSpec, ComputeDomainSpec, Coordinator, DependsOn, DeviceClaimSpec,
    DeviceRequest, Devices, ExactDevices, JobSetNetwork, JobSetSpec, JobSpec, JobTemplate, Meta,
    Named, Object, ReplicatedJob, SuccessPolicy, TemplateMeta, Text,
};
use super::pod::{self, Crew, Findings, Run};
use super::{queue, words};
use crate::document::Commented;
use slipform_model::catalog::{Claim, ClaimKind};
use slipform_model::nouns::Success;
use slipform_model::plan::{self, Awaits, Flavor, Gang, Until};

/// How often the pod of a helper may fail: it must neither end nor restart the training run, however long that takes.
const HELPER_FAILURES: i64 = i32::MAX as i64;

/// The JobSet of a workload.
pub(crate) fn of_workload<'a>(
    cx: &'a Context<'a>,
    run: Run<'a>,
    found: &mut Findings,
) -> Object<'a, JobSetSpec<'a>> {
    // `grace` is of its pods; chips and replicas of the model are nothing that Kubernetes asks.
    let plan::Run {
        site: _,
        name,
        grace: _,
        chips: _,
        data_parallel: _,
        gangs,
        success,
        on_failure: _,
        coordinator,
        host_names,
        // Its pods are told.
        dashboard: _,
    } = run.plan;
    found.deferrals.within(words::JOBSET, name, Some(&run.site.namespace));
    let metadata = metadata(cx, run);
    let order = gangs.in_order();
    let jobs: Vec<_> = order.iter().map(|gang| job(cx, run, gang, found)).collect();
    let helped = order.iter().any(|gang| !gang.decides);
    let policy = |operator, jobs| Some(SuccessPolicy { operator, target_replicated_jobs: jobs });
    let success = match success {
        Success::All if helped => policy("All", deciding(run).collect()),
        Success::All => None,
        Success::Any => policy("Any", gangs.lasting().map(|gang| text(&gang.role)).collect()),
        Success::Own => policy("All", vec![text(&gangs.lead().role)]),
    };
    let spec = JobSetSpec {
        ttl_seconds_after_finished: run.body.ttl.map(|ttl| ttl.value.0),
        network: JobSetNetwork {
            enable_dns_hostnames: *host_names,
            publish_not_ready_addresses: true,
        },
        coordinator: coordinator.as_deref().map(|role| Coordinator {
            replicated_job: text(role),
            job_index: 0,
            pod_index: 0,
        }),
        success_policy: success,
        failure_policy: failure_policy(cx, run),
        replicated_jobs: jobs,
    };
    Object::new(text(&cx.jobset.api), words::JOBSET, metadata, spec)
}

/// What the claims of a workload's gangs refer to: the domains and the claim templates, one object each.
pub(crate) fn claims<'a>(cx: &Context<'a>, run: Run<'a>) -> impl Iterator<Item = ClaimObject<'a>> {
    run.crews(cx).flat_map(move |crew| {
        let claims = crew.fabric().map_or(&[][..], |fabric| fabric.claims());
        claims.iter().map(move |claim| claim_object(crew, claim))
    })
}

/// An object that a claim refers to.
pub(crate) enum ClaimObject<'a> {
    Domain(Object<'a, ComputeDomainSpec<'a>>),
    Template(Object<'a, ClaimTemplateSpec<'a>>),
}

fn claim_object<'a>(crew: Crew<'a>, claim: &'a Claim) -> ClaimObject<'a> {
    let (template, namespace) = (crew.claim_template(claim), text(&crew.run.site.namespace));
    match claim.kind {
        ClaimKind::ComputeDomain => {
            let spec = ComputeDomainSpec {
                num_nodes: crew.gang.nodes,
                channel: Channel { resource_claim_template: Named { name: template } },
            };
            let meta = Meta::of(Text::from(crew.title()), namespace);
            ClaimObject::Domain(Object::new(text(&claim.api), "ComputeDomain", meta, spec))
        }
        ClaimKind::DeviceClass => {
            let exactly = ExactDevices {
                device_class_name: text(claim.device_class.as_deref().unwrap_or_default()),
                allocation_mode: "ExactCount",
                count: claim.count.unwrap_or(1),
            };
            let requests = vec![DeviceRequest { name: text(&claim.name), exactly }];
            let spec =
                ClaimTemplateSpec { spec: DeviceClaimSpec { devices: Devices { requests } } };
            let meta = Meta::of(template, namespace);
            ClaimObject::Template(Object::new(
                text(&claim.api),
                "ResourceClaimTemplate",
                meta,
                spec,
            ))
        }
    }
}

fn metadata<'a>(cx: &'a Context<'a>, run: Run<'a>) -> Meta<'a> {
    let mut meta = pod::label_meta(run, Meta::of(text(&run.plan.name), text(&run.site.namespace)));
    // what copies checkpoints reads there how ranks are dealt
    let keeps = run.plan.gangs().any(|gang| gang.program.keeps_checkpoints());
    if keeps && run.crews(cx).any(|crew| crew.whole_slices()) {
        meta = meta.annotation(words::EXCLUSIVE_TOPOLOGY, words::NODE_POOL);
    }
    let Some(admission) = run.admission else { return meta };
    meta = meta.label(words::QUEUE_NAME, text(admission.plan.local_in(&run.site.namespace)));
    if let Some(priority) = &run.site.priority {
        let class = queue::priority_class(cx, admission.noun, admission.plan, priority);
        meta = meta.label(words::QUEUE_PRIORITY, class);
    }
    if let Some(max) = &run.body.max_run {
        meta = meta.label(words::MAX_EXECUTION, max.value.0.to_string());
    }
    let chosen = |flavor: &&Flavor| run.plan.lead().pod.selection.pools.contains(&flavor.pool);
    let flavors = admission.plan.flavors.iter().filter(chosen);
    let longest = flavors.filter_map(|flavor| flavor.queued.as_ref()).map(|it| it.max).min();
    if let Some(longest) = longest {
        // the pods that end at the longest run still have their grace
        let own = run.body.max_run.as_ref().map(|own| own.value.0.saturating_add(run.plan.grace.0));
        let seconds = own.map_or(longest.0, |own| own.min(longest.0));
        meta = meta.annotation(words::MAX_RUN_DURATION, seconds.to_string());
    }
    meta
}

/// The replicated job of a gang.
fn job<'a>(
    cx: &'a Context<'a>,
    run: Run<'a>,
    gang: &'a Gang,
    found: &mut Findings,
) -> Commented<ReplicatedJob<'a>> {
    let noun = cx.plan.noun(gang.program.noun);
    let crew = run.crew(cx, gang);
    let own = gang.decides;
    let name = text(&gang.role);
    let spec = JobSpec {
        completion_mode: "Indexed",
        parallelism: gang.nodes_per_slice,
        completions: gang.nodes_per_slice,
        backoff_limit: if own { gang.retries } else { HELPER_FAILURES },
        active_deadline_seconds: deadline(run).filter(|_| own),
        pod_failure_policy: if own { pod_failure_policy(cx, run, gang) } else { None },
        template: pod::of_gang(cx, crew, found),
    };
    let mut metadata = TemplateMeta::default();
    // GPU pools hold several gangs
    let slices = crew.whole_slices().then_some(words::NODE_POOL);
    // where Kueue places pods, it gives each slice its own
    let placed = gang.pod.nearness.is_some() || gang.pod.cut.is_some();
    let slices = slices.filter(|_| !placed && !gang.program.keeps_checkpoints());
    if let Some(domain) = gang.pod.domain.as_deref().or(slices) {
        metadata.annotations.insert(words::EXCLUSIVE_TOPOLOGY.into(), text(domain));
    }
    let template = JobTemplate { metadata, spec };
    let depends_on = gang.after.iter().map(depends_on).collect();
    let job = ReplicatedJob { depends_on, name, replicas: gang.slices, template };
    Commented::new(noun.origin.clone(), job)
}

/// What has to come before a replicated job.
fn depends_on(awaits: &Awaits) -> DependsOn<'_> {
    let plan::Awaits { role, until } = awaits;
    let status = match until {
        Until::Ready => "Ready",
        Until::Complete => "Complete",
    };
    DependsOn { name: text(role), status }
}

/// The replicated jobs that the run is over with, and fails with.
pub(super) fn deciding(run: Run<'_>) -> impl Iterator<Item = Text<'_>> {
    run.plan.gangs().filter(|gang| gang.decides).map(|gang| text(&gang.role))
}

/// The longest that one attempt may take, where no queue counts how long all of them take together.
pub(super) fn deadline(run: Run<'_>) -> Option<u64> {
    let max = run.body.max_run.as_ref().filter(|_| run.admission.is_none());
    max.map(|max| max.value.0)
}
