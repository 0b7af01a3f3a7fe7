//! Mounts as volumes: buckets through Cloud Storage FUSE, filesystems through claims, scratch on the node's own disks.

use super::context::{Context, Site, text};
use super::objects::{Pairs, Text, Volume, VolumeMount, VolumeSource};
use super::text::{dns, quantity};
use slipform_model::catalog::GkeVersion;
use slipform_model::nouns::{Access, Body, LocalSsd, Mount, MountSource, MountUse, Storage};
use slipform_model::{Diagnostic, Noun, NounId, Size};
use slipform_source::{Span, Spanned};

/// What the mounts of one pod come to.
#[derive(Default)]
pub(crate) struct Mounted<'a> {
    pub(crate) volumes: Vec<Volume<'a>>,
    pub(crate) mounts: Vec<VolumeMount<'a>>,
    pub(crate) annotations: Pairs<'a>,
}

/// The pod that mounts.
pub(crate) struct Pod<'a> {
    pub(crate) site: Site<'a>,
    /// It is on the node's own network.
    pub(crate) host_network: bool,
    /// Names of its other volumes.
    pub(crate) taken: Vec<&'a str>,
}

/// Turns mounts into volumes, or says why they cannot be.
pub(crate) fn mounted<'a>(
    cx: &Context<'a>,
    mounts: &'a [Spanned<Mount>],
    pod: &Pod<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Mounted<'a> {
    let mut mounted = Mounted::default();
    for mount in mounts {
        if let Err(refusal) = mounted.add(cx, mount, pod) {
            diagnostics.push(*refusal);
        }
    }
    mounted
}

/// The name of a filesystem's claim, the same in every namespace.
pub(crate) fn claim_name(filesystem: &Noun) -> String {
    dns(&filesystem.path)
}

type Refusal = Box<Diagnostic>;

fn refuse(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("kubernetes/mount", message, span)
}

impl<'a> Mounted<'a> {
    fn add(
        &mut self,
        cx: &Context<'a>,
        mount: &'a Spanned<Mount>,
        pod: &Pod<'a>,
    ) -> Result<(), Refusal> {
        let Mount::Mount { source, path, folder, read_only, purpose } = &mount.value;
        let mut at = VolumeMount::new("", text(&path.value));
        at.read_only = read_only.then_some(true);
        at.name = match source.value {
            MountSource::Bucket(id) => {
                let folder = folder.as_deref();
                let bucket = Bucket {
                    id,
                    folder,
                    read_only: *read_only,
                    purpose: *purpose,
                    span: source.span,
                };
                let (name, read_only) = self.bucket(cx, &bucket, pod)?;
                at.read_only = read_only.then_some(true);
                name
            }
            MountSource::Filesystem(id) => {
                at.sub_path = folder.as_deref().map(|folder| folder.trim_matches('/').into());
                self.filesystem(cx, id, source.span, pod)?
            }
            MountSource::Scratch { size } => {
                at.sub_path = folder.as_deref().map(|folder| folder.trim_matches('/').into());
                self.local(pod, size, source.span)?
            }
        };
        self.mounts.push(at);
        Ok(())
    }

    fn bucket(
        &mut self,
        cx: &Context<'a>,
        mount: &Bucket<'a>,
        pod: &Pod<'a>,
    ) -> Result<(Text<'a>, bool), Refusal> {
        let (Some(noun), Some(bucket)) = (cx.model.get(mount.id), cx.plan.name(mount.id)) else {
            return Err(Box::new(refuse("nothing is known of this bucket", mount.span)));
        };
        let facts = &cx.facts.gcsfuse;
        let read_only =
            mount.read_only || matches!(&noun.body, Body::Bucket(it) if it.access == Access::Read);
        let mut attributes = Pairs::from([("bucketName".into(), bucket.to_string().into())]);
        attributes.insert("mountOptions".into(), mount.options(&facts.mount_options)?.into());
        if pod.host_network {
            mount.reaches_host_network(cx, pod, &facts.host_network_min)?;
            attributes.insert("hostNetworkPodKSA".into(), "true".into());
        }
        self.annotations.insert(text(&facts.annotation), "true".into());
        let prefix = facts.annotation.split_once('/').map_or("", |(prefix, _)| prefix);
        let unbounded = facts.unbounded.iter();
        self.annotations
            .extend(unbounded.map(|(name, it)| (format!("{prefix}/{name}").into(), text(it))));
        let name = self.name(&noun.name, pod);
        let source = VolumeSource::Csi {
            driver: text(&facts.driver),
            read_only: read_only.then_some(true),
            volume_attributes: attributes,
        };
        self.volumes.push(Volume { name: name.clone(), source });
        Ok((name, read_only))
    }

    fn filesystem(
        &mut self,
        cx: &Context<'a>,
        id: NounId,
        span: Span,
        pod: &Pod<'a>,
    ) -> Result<Text<'a>, Refusal> {
        let Some(noun) = cx.model.get(id) else {
            return Err(Box::new(refuse("nothing is known of this filesystem", span)));
        };
        if let Body::Filesystem(body) = &noun.body
            && let Storage::Path { folder } = &body.storage.value
        {
            let message = format!("GKE's nodes have nothing at `{folder}` that lasts");
            return Err(Box::new(
                refuse(message, span)
                    .also(body.storage.span, "a folder of the nodes")
                    .help("use `filestore(...)`, `lustre(...)` or `nfs(...)` on GKE"),
            ));
        }
        let claim = claim_name(noun);
        let same = |volume: &&Volume<'a>| matches!(&volume.source, VolumeSource::PersistentVolumeClaim { claim_name } if *claim_name == claim);
        if let Some(volume) = self.volumes.iter().find(same) {
            return Ok(volume.name.clone());
        }
        let name = self.name(&noun.name, pod);
        let source = VolumeSource::PersistentVolumeClaim { claim_name: claim.into() };
        self.volumes.push(Volume { name: name.clone(), source });
        Ok(name)
    }

    fn local(&mut self, pod: &Pod<'a>, size: Size, span: Span) -> Result<Text<'a>, Refusal> {
        if matches!(pod.site.pool.local_ssd, (LocalSsd::Raw, disks) if disks > 0) {
            let message = "the local disks of this pool are raw devices, which hold no scratch";
            return Err(Box::new(
                refuse(message, span).also(pod.site.pool_noun.span, "the pool that it runs on"),
            ));
        }
        let name = self.name("scratch", pod);
        let source =
            VolumeSource::EmptyDir { medium: None, size_limit: Some(quantity(size).into()) };
        self.volumes.push(Volume { name: name.clone(), source });
        Ok(name)
    }

    /// A name that no other volume has.
    fn name(&self, noun: &str, pod: &Pod<'a>) -> Text<'a> {
        let base = dns(noun);
        let taken = |name: &str| {
            self.volumes.iter().any(|volume| volume.name == name) || pod.taken.contains(&name)
        };
        if !taken(&base) {
            return base.into();
        }
        let mut numbered = (2..).map(|number| format!("{base}-{number}"));
        numbered.find(|name| !taken(name)).unwrap_or(base).into()
    }
}

/// A bucket that is mounted.
struct Bucket<'a> {
    id: NounId,
    folder: Option<&'a str>,
    read_only: bool,
    purpose: MountUse,
    span: Span,
}

impl Bucket<'_> {
    fn options(
        &self,
        by_use: &std::collections::BTreeMap<String, Vec<String>>,
    ) -> Result<String, Refusal> {
        let purpose = match self.purpose {
            MountUse::Data => "data",
            MountUse::Checkpoints => "checkpoints",
            MountUse::Serving => "serving",
        };
        let mut options: Vec<&str> =
            by_use.get(purpose).into_iter().flatten().map(String::as_str).collect();
        let only = self.folder.map(|folder| format!("only-dir:{}", folder.trim_matches('/')));
        if let Some(only) = &only {
            if only.contains(',') {
                let message = format!("`{only}` holds a comma, which separates mount options");
                return Err(Box::new(refuse(message, self.span)));
            }
            options.push(only);
        }
        Ok(options.join(","))
    }

    /// Pods on the network of their node mount buckets only from some version of GKE on.
    fn reaches_host_network(
        &self,
        cx: &Context<'_>,
        pod: &Pod<'_>,
        least: &str,
    ) -> Result<(), Refusal> {
        let Some(noun) = cx.model.get(pod.site.cluster_id) else { return Ok(()) };
        let Body::GkeCluster(cluster) = &noun.body else { return Ok(()) };
        let Some(version) = &cluster.version else { return Ok(()) };
        let branch = |text: &str| GkeVersion::parse(text).map(|it| it.minor_key());
        if branch(&version.value) >= branch(least) {
            return Ok(());
        }
        let message = format!(
            "pods with TPUs use the network of their node, where buckets can be mounted from GKE {least} on, not in {}",
            version.value
        );
        Err(Box::new(
            refuse(message, self.span)
                .also(version.span, "the lowest version of the control plane"),
        ))
    }
}
