//! Who acts as a service account without a key: a pool of Workload Identity Federation for each identity that lets others in, with a provider for each
//! issuer of tokens that it trusts.
//!
//! A provider lets in none but those whom the blueprint names, whatever else its issuer signs, and the account is bound to them once more: a pool that
//! somebody adds a provider to lets nobody else act as the account.

use super::outputs::OutputBlock;
use super::root::{File, Root, depends_on, moved, resource};
use super::services::AFTER_SERVICES;
use crate::document::hcl::{Block, Expr, Part};
use slipform_model::nouns::{Federation, GkeCluster, Identity};
use slipform_model::plan::{Planned, WORKLOAD_IDENTITY_ROLE};
use std::collections::BTreeMap;

/// Who signs the tokens of GitHub Actions.
const GITHUB: &str = "https://token.actions.githubusercontent.com";

/// The pool of an identity, its providers, and who is let in.
pub(super) fn render(root: &mut Root<'_>, identity: Planned<'_, Identity>) {
    let Planned { noun, body, .. } = identity;
    if body.federated.is_empty() {
        return;
    }
    let clusters = root.plan.all::<GkeCluster>();
    let guarded = clusters.map(|it| it.body).any(|it| it.deletion_protection);
    let policy = root.deletion_policy(guarded);
    let label = root.label(noun.id);
    let pool = resource("google_iam_workload_identity_pool", &label)
        .attr("workload_identity_pool_id", identity.name())
        .attr("display_name", short(&noun.outside.path))
        .attr("description", format!("Who acts as the service account {}", noun.outside.path))
        .attr("deletion_policy", policy);
    root.push(File::Iam, noun, depends_on(pool, [AFTER_SERVICES.to_owned()]));
    root.push(File::Iam, noun, providers(&label, body));
    for name in body.federated.keys() {
        // what follows the last `_` is the name, which has none: `a_b` with `c` is not `a` with `b-c`
        let key = format!("{label}_{name}");
        let provider = Expr::reference(format!("{PROVIDER}.{label}")).index(name.as_str());
        root.push(File::Iam, noun, moved(format!("{PROVIDER}.{key}"), provider.clone()));
        let text =
            format!("What {name} names to act as the service account {}.", noun.outside.path);
        let output = format!("{key}_provider");
        root.output(OutputBlock::named(noun, output, text, provider.attr("name")));
    }
    root.push(File::Iam, noun, binding(&label, body));
}

/// The API takes 32 letters of what people read.
fn short(name: &str) -> String {
    name.chars().take(32).collect()
}

const PROVIDER: &str = "google_iam_workload_identity_pool_provider";

/// The providers of a pool, one block for all: whoever lets go of them needs none of their names.
fn providers(pool: &str, body: &Identity) -> Block {
    let id = format!("google_iam_workload_identity_pool.{pool}.workload_identity_pool_id");
    let all = body.federated.iter().map(|(name, who)| (name.as_str(), provider(&who.value)));
    let of = |field: &str| Expr::reference(format!("each.value.{field}"));
    let oidc = Block::of("oidc")
        .attr("issuer_uri", of("issuer"))
        .attr("allowed_audiences", of("audiences"))
        .attr("jwks_json", of("keys"));
    resource(PROVIDER, pool)
        .attr("for_each", Expr::object(all))
        .gap()
        .attr("workload_identity_pool_id", Expr::reference(id))
        .attr("workload_identity_pool_provider_id", Expr::reference("each.key"))
        .attr("attribute_mapping", of("mapping"))
        .attr("attribute_condition", of("condition"))
        .block(oidc)
}

fn provider(who: &Federation) -> Expr {
    let subject = ("google.subject", "assertion.sub");
    let (mapping, issuer, audience, keys) = match who {
        Federation::Github { .. } => {
            (vec![subject, ("attribute.repository", "assertion.repository")], GITHUB, None, None)
        }
        Federation::Oidc { issuer, audience, keys, .. } => {
            (vec![subject], issuer.as_str(), audience.as_deref(), keys.as_deref())
        }
    };
    Expr::object([
        ("issuer", Expr::from(issuer)),
        ("mapping", Expr::object(mapping)),
        ("condition", condition(who).into()),
        ("audiences", audience.map_or(Expr::Null, |it| Expr::list([it]))),
        ("keys", keys.map_or(Expr::Null, Expr::from)),
    ])
}

/// What a token has to say, in CEL.
fn condition(who: &Federation) -> String {
    let equal = |claim: &str, value: &str| format!("assertion.{claim} == {}", quoted(value));
    match who {
        Federation::Github { repository, at, environment } => {
            let terms = [
                Some(equal("repository", repository)),
                at.as_deref().map(|it| equal("ref", it)),
                environment.as_deref().map(|it| equal("environment", it)),
            ];
            terms.into_iter().flatten().collect::<Vec<_>>().join(" && ")
        }
        Federation::Oidc { subject, .. } => equal("sub", subject),
    }
}

/// A string of CEL.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Lets those in whom the providers do, each once: several may let in the same for different reasons, and none of them may take the right
/// of the others along when it goes.
fn binding(label: &str, body: &Identity) -> Block {
    let who = body.federated.values().map(|who| match &who.value {
        Federation::Github { repository, .. } => {
            (format!("attribute.repository/{repository}"), Expr::from("principalSet"))
        }
        Federation::Oidc { subject, .. } => (format!("subject/{subject}"), Expr::from("principal")),
    });
    let all: BTreeMap<String, Expr> = who.collect();
    let pool = Expr::reference(format!("google_iam_workload_identity_pool.{label}.name"));
    let member = Expr::template([
        Part::from(Expr::reference("each.value")),
        Part::from("://iam.googleapis.com/"),
        Part::from(pool),
        Part::from("/"),
        Part::from(Expr::reference("each.key")),
    ]);
    resource("google_service_account_iam_member", &format!("{label}_federated"))
        .attr("for_each", Expr::object(all))
        .gap()
        .attr("service_account_id", Expr::reference(format!("google_service_account.{label}.name")))
        .attr("role", WORKLOAD_IDENTITY_ROLE)
        .attr("member", member)
}
