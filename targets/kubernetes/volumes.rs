//! Mounts as volumes: buckets through Cloud Storage FUSE, filesystems through claims, scratch on the node's own disks.

use super::context::{Context, text};
use super::objects::{Pairs, Text, Volume, VolumeMount, VolumeSource};
use super::text::quantity;
use slipform_model::catalog::GcsFuse;
use slipform_model::nouns::{Access, Bucket, MountUse, Ref};
use slipform_model::plan::{self, Gang, Gangs, Held, MountPlan, Server, Source};
use slipform_model::{Diagnostic, Noun, Size};
use slipform_source::Span;

slipform_source::codes! {
    pub(crate) CODES;
    KUBERNETES_MOUNT = "kubernetes/mount":
        "the name of a folder holds what separates the options of a mount",
        "choose a folder of the bucket whose name has no comma";
}

/// What options about the cache of files begin with.
pub(crate) const FILE_CACHE: &str = "file-cache:";
/// The mount option that bounds the cache of files.
const CACHE_SIZE: &str = "file-cache:max-size-mb:";

/// What the mounts of one pod come to.
#[derive(Default)]
pub(crate) struct Mounted<'a> {
    pub(crate) volumes: Vec<Volume<'a>>,
    pub(crate) mounts: Vec<VolumeMount<'a>>,
    pub(crate) annotations: Pairs<'a>,
}

/// The pod that mounts.
pub(crate) struct Pod<'a> {
    /// It is on the node's own network.
    pub(crate) host_network: bool,
    /// Names of its other volumes.
    pub(crate) taken: Vec<&'a str>,
    /// Its nodes have local disks for files, besides the one that they start from.
    pub(crate) local_disks: bool,
    /// Its gang, among those of its run.
    pub(crate) gang: &'a Gang,
    pub(crate) gangs: &'a Gangs,
}

/// Turns mounts into volumes, or says why they cannot be.
pub(crate) fn mounted<'a>(
    cx: &Context<'a>,
    mounts: &'a [MountPlan],
    pod: &Pod<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Mounted<'a> {
    let mut mounted = Mounted::default();
    for mount in mounts {
        if let Err(refusal) = mounted.add(cx, mount, pod) {
            diagnostics.push(*refusal);
        }
    }
    mounted.serve(cx, mounts);
    mounted
}

/// The name of a filesystem's claim, the same in every namespace.
pub(crate) fn claim_name(cx: &Context<'_>, filesystem: &Noun) -> String {
    cx.dns(&filesystem.outside.path)
}

type Refusal = Box<Diagnostic>;

fn refuse(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error(KUBERNETES_MOUNT, message, span)
}

impl<'a> Mounted<'a> {
    fn add(
        &mut self,
        cx: &Context<'a>,
        mount: &'a MountPlan,
        pod: &Pod<'a>,
    ) -> Result<(), Refusal> {
        // Of a bucket, `purpose` and `access` are among its options, and what serves it is one for all of them.
        let plan::MountPlan {
            source,
            folder,
            path,
            access: _,
            purpose: _,
            cache: _,
            cpus: _,
            memory: _,
            span: _,
        } = mount;
        let folder = folder.as_deref();
        let (name, folder) = match &source.value {
            // a bucket is mounted without what is beside the folder
            Source::Bucket { noun, name, access: _ } => {
                (self.bucket(cx, *noun, name, mount, pod)?, None)
            }
            Source::Share { noun, server } => {
                (self.share(cx, cx.plan.get(*noun).noun, server, pod), folder)
            }
            Source::Scratch { size } => (self.local(cx, pod, *size), folder),
            Source::LocalCheckpoints { noun: _, name: _, memory: _ } => {
                let driver = text(&cx.facts.checkpointing.driver);
                let (read_only, volume_attributes) = (None, Pairs::new());
                let source = VolumeSource::Csi { driver, read_only, volume_attributes };
                (self.volume(cx, "checkpoints", source, pod), None)
            }
            Source::Object { kind, name } => (self.object(cx, *kind, name, pod), folder),
            Source::HostPath { path } => {
                let source = VolumeSource::HostPath { path: text(path), form: None };
                (self.volume(cx, "host", source, pod), folder)
            }
        };
        let mut at = VolumeMount::new("", text(&path.value));
        at.name = name;
        at.read_only = mount.reads_alone().then_some(true);
        at.sub_path = folder.map(text);
        self.mounts.push(at);
        Ok(())
    }

    fn bucket(
        &mut self,
        cx: &Context<'a>,
        noun: Ref<Bucket>,
        bucket: &'a str,
        mount: &'a MountPlan,
        pod: &Pod<'a>,
    ) -> Result<Text<'a>, Refusal> {
        let facts = &cx.facts.gcsfuse;
        let changes = pod.gangs.written_beside(pod.gang, noun, bucket);
        let options = options(mount, facts, pod, changes)?;
        let mut attributes = Pairs::from([("bucketName".into(), text(bucket))]);
        attributes.insert("mountOptions".into(), options.into());
        if let Some(cache) = mount.cache {
            attributes.insert("fileCacheCapacity".into(), quantity(cache).into());
        }
        if pod.host_network {
            attributes.insert("hostNetworkPodKSA".into(), "true".into());
        }
        self.annotations.insert(text(&facts.annotation), "true".into());
        let prefix = prefix(&facts.annotation);
        let unbounded = facts.unbounded.iter();
        self.annotations
            .extend(unbounded.map(|(name, it)| (format!("{prefix}/{name}").into(), text(it))));
        let name = self.name(cx, &cx.plan.get(noun).noun.outside.name, pod);
        let source = VolumeSource::Csi {
            driver: text(&facts.driver),
            read_only: mount.reads_alone().then_some(true),
            volume_attributes: attributes,
        };
        self.volumes.push(Volume { name: name.clone(), source });
        Ok(name)
    }

    /// What the one sidecar of a pod asks of its node for all buckets.
    fn serve(&mut self, cx: &Context<'a>, mounts: &[MountPlan]) {
        let prefix = prefix(&cx.facts.gcsfuse.annotation);
        let cpus = mounts.iter().filter_map(|mount| mount.cpus).reduce(i64::saturating_add);
        let sizes = mounts.iter().filter_map(|mount| mount.memory);
        let memory = sizes.reduce(|all, size| Size(all.0.saturating_add(size.0)));
        let asked = [
            ("cpu-request", cpus.map(|cpus| cpus.to_string())),
            ("memory-request", memory.map(quantity)),
        ];
        for (name, amount) in asked {
            self.annotations
                .extend(amount.map(|it| (format!("{prefix}/{name}").into(), it.into())));
        }
    }

    fn share(
        &mut self,
        cx: &Context<'a>,
        noun: &Noun,
        server: &'a Server,
        pod: &Pod<'a>,
    ) -> Text<'a> {
        if let Server::Nodes { folder } = server {
            return self.volume(
                cx,
                &noun.outside.name,
                VolumeSource::HostPath { path: text(folder), form: Some("Directory") },
                pod,
            );
        }
        // a disk that many nodes have is refused where one asks to write
        let many = matches!(server, Server::Disk { access: Access::Read, .. });
        let read_only = many.then_some(true);
        self.claim(cx, &noun.outside.name, claim_name(cx, noun).into(), read_only, pod)
    }

    fn claim(
        &mut self,
        cx: &Context<'a>,
        title: &str,
        claim: Text<'a>,
        read_only: Option<bool>,
        pod: &Pod<'a>,
    ) -> Text<'a> {
        let same = |volume: &&Volume<'a>| matches!(&volume.source, VolumeSource::PersistentVolumeClaim { claim_name, .. } if *claim_name == claim);
        if let Some(volume) = self.volumes.iter().find(same) {
            return volume.name.clone();
        }
        let source = VolumeSource::PersistentVolumeClaim { claim_name: claim, read_only };
        self.volume(cx, title, source, pod)
    }

    fn object(&mut self, cx: &Context<'a>, kind: Held, name: &'a str, pod: &Pod<'a>) -> Text<'a> {
        let source = match kind {
            Held::Claim => return self.claim(cx, name, text(name), None, pod),
            Held::ConfigMap => VolumeSource::ConfigMap { name: text(name) },
            Held::Secret => {
                VolumeSource::Secret { secret_name: text(name), default_mode: None, optional: None }
            }
        };
        self.volume(cx, name, source, pod)
    }

    fn volume(
        &mut self,
        cx: &Context<'a>,
        title: &str,
        source: VolumeSource<'a>,
        pod: &Pod<'a>,
    ) -> Text<'a> {
        let name = self.name(cx, title, pod);
        self.volumes.push(Volume { name: name.clone(), source });
        name
    }

    fn local(&mut self, cx: &Context<'a>, pod: &Pod<'a>, size: Size) -> Text<'a> {
        let source =
            VolumeSource::EmptyDir { medium: None, size_limit: Some(quantity(size).into()) };
        self.volume(cx, "scratch", source, pod)
    }

    /// A name that no other volume has.
    fn name(&self, cx: &Context<'a>, noun: &str, pod: &Pod<'a>) -> Text<'a> {
        let base = cx.dns(noun);
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

/// What names of annotations have in common.
fn prefix(annotation: &str) -> &str {
    annotation.split_once('/').map_or("", |(prefix, _)| prefix)
}

/// How a bucket is mounted for its use, and which folder of it.
///
/// What nobody changes meanwhile is remembered for ever (`changes`), and files are kept where there are disks for that: on the
/// one that the node starts from they would fill it, and the pod would be put out.
fn options(
    mount: &MountPlan,
    facts: &GcsFuse,
    pod: &Pod<'_>,
    changes: bool,
) -> Result<String, Refusal> {
    let purpose = match mount.purpose {
        MountUse::Data => "data",
        MountUse::Checkpoints => "checkpoints",
        MountUse::Serving => "serving",
    };
    let mut options: Vec<&str> =
        facts.mount_options.get(purpose).into_iter().flatten().map(String::as_str).collect();
    let begins = |option: &str, heads: &[String]| heads.iter().any(|it| option.starts_with(it));
    options.retain(|option| !(changes && begins(option, &facts.remembered)));
    if mount.cache.is_none() && !pod.local_disks {
        options.retain(|option| !option.starts_with(FILE_CACHE));
    }
    if mount.cache.is_some() {
        // the size is an attribute of the volume then
        options.retain(|option| !option.starts_with(CACHE_SIZE));
    }
    let only = mount.folder.as_ref().map(|folder| format!("only-dir:{folder}"));
    if let Some(only) = &only {
        if only.contains(',') {
            let message = format!("`{only}` holds a comma, which separates mount options");
            return Err(Box::new(refuse(message, mount.source.span)));
        }
        options.push(only);
    }
    Ok(options.join(","))
}
