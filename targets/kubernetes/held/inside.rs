//! What patched containers find inside: who they are, where they may write, how long they have to end.

use super::{Look, PATCH_ELSEWHERE, PATCH_HAMPERED, PATCH_REFUSED, int, items, shown, text};
use crate::document::Node;

/// Where Python, `torchrun` and whatever else wants a file for a moment write.
const MOMENTS: &str = "/tmp";

/// Seconds that Kubernetes gives a pod to end that says nothing of it.
const USUAL_GRACE: i64 = 30;

impl Look<'_> {
    /// Containers that could not do what they are started for.
    pub(super) fn inside(&mut self, pod: &Node) {
        let grace = int(pod, "terminationGracePeriodSeconds").unwrap_or(USUAL_GRACE);
        for container in items(pod, "containers") {
            self.read_only_root(container);
            self.covered(pod, container);
            self.ends_late(container, grace);
            self.root_of_image(pod, container);
            self.stranger(pod, container);
            self.pages(container);
            self.begins_late(container);
            self.misread(container);
        }
        for container in items(pod, "initContainers") {
            self.before_all(container);
        }
    }

    /// A hook behind the start that does not end: the container is not taken for started.
    fn begins_late(&mut self, container: &Node) {
        let hook = container.get("lifecycle").and_then(|it| it.get("postStart"));
        let words =
            hook.and_then(|it| it.get("exec")).into_iter().flat_map(|it| items(it, "command"));
        let line = words.filter_map(Node::as_str).collect::<Vec<_>>().join(" ");
        if let Some(endless) = super::pods::endless(&line) {
            let message = format!(
                "the hook behind the start never ends (`{endless}`), and the container is never taken for started"
            );
            let key = "containers.lifecycle.postStart.exec.command";
            self.tell(PATCH_HAMPERED, key, "", message, "leave it out, or start it with `&`");
        }
    }

    /// A container in front of the others that never ends, and is none that goes on beside them.
    fn before_all(&mut self, container: &Node) {
        if text(container, "restartPolicy") == Some("Always") {
            return;
        }
        let words = ["command", "args"].into_iter().flat_map(|key| items(container, key));
        let line = words.filter_map(Node::as_str).collect::<Vec<_>>().join(" ");
        if let Some(endless) = super::pods::endless(&line) {
            let name = text(container, "name").unwrap_or_default();
            let message = format!(
                "the container `{name}` never ends (`{endless}`), and the others start when it has"
            );
            let help = "give it `restartPolicy = \"Always\"`: it goes on beside them then, and ends with them";
            self.tell(PATCH_HAMPERED, "initContainers.name", name, message, help);
        }
    }

    /// Variables with values that are not read as they are written.
    fn misread(&mut self, container: &Node) {
        let set = items(container, "env");
        let set = set.filter_map(|it| Some((text(it, "name")?, text(it, "value")?)));
        let found: Vec<(String, String, String)> = set
            .filter_map(|(name, value)| {
                let takes = slipform_model::plan::read_as(self.catalog, name, value)?;
                Some((name.to_owned(), value.to_owned(), takes.to_owned()))
            })
            .collect();
        for (name, value, takes) in found {
            let message = format!("{name} is read as {takes}, and not as {value}");
            let help = "write what is read, or leave it out";
            self.tell(PATCH_HAMPERED, "containers.env.value", &value, message, help);
        }
    }

    /// Folders of the image that a mount hides: those of the system, and the program's where nothing is in the volume.
    fn covered(&mut self, pod: &Node, container: &Node) {
        const HELP: &str = "mount it elsewhere: `/data`, `/mnt/...`";
        let system = self.catalog.names("commands.system_folders");
        for mount in items(container, "volumeMounts").filter(|it| it.get("subPath").is_none()) {
            let said = text(mount, "mountPath").unwrap_or_default();
            let path = said.trim_end_matches('/');
            let key = "containers.volumeMounts.mountPath";
            if path.is_empty() || system.iter().any(|it| it == path) {
                let message = format!(
                    "what is mounted at `{said}` hides the system of the image, and no program is found"
                );
                self.tell(PATCH_HAMPERED, key, said, message, HELP);
            } else if let Some(program) = self.hidden(pod, container, mount, path) {
                let message = format!(
                    "nothing is in what is mounted at `{said}`, and it hides `{program}` of the image, which the container starts"
                );
                self.tell(PATCH_HAMPERED, key, said, message, HELP);
            }
        }
    }

    /// A program of a container that lies where an empty volume is mounted, which nobody fills beforehand.
    fn hidden<'n>(
        &self,
        pod: &Node,
        container: &'n Node,
        mount: &Node,
        path: &str,
    ) -> Option<&'n str> {
        let volume = text(mount, "name")?;
        let empty = |it: &Node| text(it, "name") == Some(volume) && it.get("emptyDir").is_some();
        let filled = items(pod, "initContainers")
            .flat_map(|it| items(it, "volumeMounts"))
            .any(|it| text(it, "name") == Some(volume));
        if filled || !items(pod, "volumes").any(empty) {
            return None;
        }
        let below = |it: &str| it.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        let home = text(container, "workingDir").is_some_and(|it| it == path || below(it));
        let words = ["command", "args"].into_iter().flat_map(|key| items(container, key));
        let mut words = words.filter_map(Node::as_str);
        words.find(|word| {
            let is_program = word.ends_with(".py") || word.ends_with(".sh");
            let here = below(word) || home && !word.starts_with('/');
            is_program && here && !word.contains([' ', '='])
        })
    }

    /// A root that cannot be written to, with nothing mounted where programs write.
    fn read_only_root(&mut self, container: &Node) {
        let said = container.get("securityContext").and_then(|it| it.get("readOnlyRootFilesystem"));
        let moved = items(container, "env").any(|it| text(it, "name") == Some("TMPDIR"));
        if said != Some(&Node::Bool(true)) || moved {
            return;
        }
        let is_there = |mount: &Node| {
            let path = text(mount, "mountPath").unwrap_or_default().trim_end_matches('/');
            path == MOMENTS && mount.get("readOnly") != Some(&Node::Bool(true))
        };
        if items(container, "volumeMounts").any(is_there) || !self.is_own(container) {
            return;
        }
        let message = format!(
            "the container may write nowhere but to its mounts, and none is at `{MOMENTS}`, where Python and `torchrun` keep files for a moment: they end at once"
        );
        let help = "mount `scratch` at `/tmp`, and say where caches are: `HF_HOME`, `TRITON_CACHE_DIR`; or leave it out";
        let key = "containers.securityContext.readOnlyRootFilesystem";
        self.tell(PATCH_HAMPERED, key, "true", message, help);
    }

    /// Whether the blueprint makes the container, so that it starts what runs start.
    fn is_own(&self, container: &Node) -> bool {
        let name = text(container, "name").unwrap_or_default();
        super::says(self.before, "name", name)
    }

    /// A hook that takes all the time that the container has to end: its process is never told.
    fn ends_late(&mut self, container: &Node, grace: i64) {
        let Some(hook) = container.get("lifecycle").and_then(|it| it.get("preStop")) else {
            return;
        };
        let slept = hook.get("sleep").and_then(|it| int(it, "seconds"));
        let words = hook.get("exec").into_iter().flat_map(|it| items(it, "command"));
        let line = words.filter_map(Node::as_str).collect::<Vec<_>>().join(" ");
        let by_command = || {
            let (_, behind) = line.split_once("sleep ")?;
            let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
            let times = match behind.chars().nth(digits.len()) {
                Some('m') => 60,
                Some('h') => 3600,
                _ => 1,
            };
            Some(digits.parse::<i64>().ok()?.saturating_mul(times))
        };
        let Some(seconds) = slept.or_else(by_command).filter(|it| *it >= grace) else { return };
        let message = format!(
            "before it ends the container waits for {seconds} seconds, and has {grace} in all: its process is killed without having been told, and saves nothing"
        );
        let (key, value) = match slept {
            Some(seconds) => ("containers.lifecycle.preStop.sleep.seconds", seconds.to_string()),
            None => ("containers.lifecycle.preStop.exec.command", String::new()),
        };
        let help = "leave it out: processes are told when the time begins; or raise `grace` of the workload";
        self.tell(PATCH_HAMPERED, key, &value, message, help);
    }

    /// Who must not be root and whose image starts as root: the kubelet starts no such container.
    fn root_of_image(&mut self, pod: &Node, container: &Node) {
        let said =
            |of: &Node, key: &str| of.get("securityContext").and_then(|it| it.get(key)).cloned();
        let effective = |key: &str| said(container, key).or_else(|| said(pod, key));
        if effective("runAsNonRoot") != Some(Node::Bool(true)) || effective("runAsUser").is_some() {
            return;
        }
        let image = text(container, "image").unwrap_or_default();
        let known = self.catalog.names("commands.root_images");
        if !known.iter().any(|it| image.starts_with(&**it)) {
            return;
        }
        let own = said(container, "runAsNonRoot").is_some();
        let key = "securityContext.runAsNonRoot";
        let key = if own { format!("containers.{key}") } else { key.to_owned() };
        let message = format!(
            "the container must not run as root, and `{image}` starts as root: it never starts"
        );
        let help = "say which user it is, `runAsUser`, or leave `runAsNonRoot` out";
        self.tell(PATCH_REFUSED, &key, "true", message, help);
    }

    /// A user who is not root, to whom gcsfuse shows buckets as root's: files can be read, and none be written.
    fn stranger(&mut self, pod: &Node, container: &Node) {
        let said =
            |of: &Node, key: &str| of.get("securityContext").and_then(|it| it.get(key)).cloned();
        let own = said(container, "runAsUser").is_some();
        let user = said(container, "runAsUser").or_else(|| said(pod, "runAsUser"));
        let Some(Node::Int(user)) = user.filter(|it| *it != Node::Int(0)) else { return };
        // its group is handed to gcsfuse, with files and folders that the group may write to
        if said(pod, "fsGroup").is_some() || said(pod, "supplementalGroups").is_some() {
            return;
        }
        let driver = &self.catalog.kubernetes().gcsfuse.driver;
        let buckets: Vec<&str> =
            items(pod, "volumes").filter_map(|it| of_root(it, driver)).collect();
        let written = |mount: &&Node| {
            let reads = mount.get("readOnly") == Some(&Node::Bool(true));
            !reads && text(mount, "name").is_some_and(|it| buckets.contains(&it))
        };
        let path = items(container, "volumeMounts").find(written);
        let Some(path) = path.and_then(|it| text(it, "mountPath")).map(str::to_owned) else {
            return;
        };
        let key = "securityContext.runAsUser";
        let key = if own { format!("containers.{key}") } else { key.to_owned() };
        let message = format!(
            "the container runs as user {user}, and what is mounted at `{path}` by gcsfuse is root's: nothing can be written there"
        );
        let help = "say the group of the pod, too: `securityContext = { fsGroup = ... }`, which gcsfuse is told";
        self.tell(PATCH_HAMPERED, &key, &user.to_string(), message, help);
    }

    /// Huge pages, which a node has where its pool keeps some of its memory as such.
    fn pages(&mut self, container: &Node) {
        let Some(resources) = container.get("resources") else { return };
        for side in ["limits", "requests"] {
            let asked = super::record(resources, side);
            let pages = asked
                .into_iter()
                .flat_map(crate::document::Map::iter)
                .find(|(name, _)| name.starts_with("hugepages-"));
            let Some((name, entry)) = pages else { continue };
            if self.grounds.iter().any(|ground| ground.pages) {
                return;
            }
            let message = format!("nodes of the pool have no `{name}`: the pod stays Pending");
            let help = "leave it out, or have the pool keep some: `hugepages_config` of its `linux_node_config` in a patch";
            let key = format!("containers.resources.{side}");
            return self.tell(PATCH_ELSEWHERE, &key, &shown(&entry.value), message, help);
        }
    }
}

/// A volume of gcsfuse that can be written to, and that nobody but root is said to own.
fn of_root<'n>(volume: &'n Node, driver: &str) -> Option<&'n str> {
    let csi = volume.get("csi")?;
    let options = csi.get("volumeAttributes").and_then(|it| text(it, "mountOptions"));
    let owned = ["uid=", "gid=", "file-mode", "dir-mode"];
    let is_own = options.is_some_and(|options| owned.iter().any(|it| options.contains(it)));
    let reads = csi.get("readOnly") == Some(&Node::Bool(true));
    (text(csi, "driver") == Some(driver) && !is_own && !reads).then(|| text(volume, "name"))?
}
