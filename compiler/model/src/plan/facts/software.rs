//! What is in the image of a gang, as far as its name, its steps and the commands before its processes tell, against what computes on its GPUs.

use super::machine_image::{is_older, named_cuda};
use super::records::OldSoftware;
use crate::NounId;
use crate::catalog::{Gpu, Machine};
use crate::nouns::Image;
use crate::plan::{Place, Plan, Program};

/// What an image installs, and what is installed on top of it.
pub(super) struct Installed<'p> {
    /// The image that all starts from.
    from: Option<&'p str>,
    /// The image of the blueprint.
    built: Option<&'p Image>,
}

impl<'p> Installed<'p> {
    pub(super) fn of(plan: &'p Plan, program: &'p Program) -> Self {
        let built = program.image.noun().and_then(|it| plan.model.body(it));
        let from = built.map(|image| image.from.value.as_str()).or_else(|| program.image.said());
        Self { from, built }
    }

    /// The version that a package of Python is pinned to: `torch==2.5.1`.
    pub(super) fn pinned(&self, package: &str) -> Option<&'p str> {
        let image = self.built?;
        let words = image.run.iter().flat_map(|line| line.split_whitespace());
        let mut all = image.packages.iter().map(String::as_str).chain(words);
        let version = |word: &'p str| {
            let (name, version) = word.trim_matches(['"', '\'']).split_once("==")?;
            (name.split('[').next() == Some(package)).then_some(version)
        };
        all.find_map(version)
    }

    /// The tag of an image of this repository that nothing is installed upon.
    pub(super) fn tag_of(&self, repository: &str) -> Option<&'p str> {
        let from = self.from.filter(|_| {
            self.built.is_none_or(|image| image.packages.is_empty() && image.run.is_empty())
        })?;
        let (name, tag) = from.split('@').next()?.rsplit_once(':')?;
        (name.trim_start_matches("docker.io/") == repository).then_some(tag)
    }

    /// The CUDA that its base brings, and that of wheels which are installed.
    fn cudas(&self) -> impl Iterator<Item = String> {
        let own = self.built.and_then(|image| image.cuda.clone());
        let base = own.or_else(|| self.from.and_then(named_cuda));
        let run = self.built.into_iter().flat_map(|image| &image.run);
        let wheels: Vec<String> = run.filter_map(|line| wheel_cuda(line)).collect();
        // wheels bring a CUDA of their own, and leave that of the base aside
        let base = base.filter(|_| wheels.is_empty());
        base.into_iter().chain(wheels)
    }

    /// The month of an image of a framework that NVIDIA publishes: `24.07` of `nvcr.io/nvidia/pytorch:24.07-py3`.
    fn ngc(&self) -> Option<&'p str> {
        let behind = self.from?.strip_prefix("nvcr.io/nvidia/")?;
        let (name, tag) = behind.split_once(':')?;
        let month = tag.split('-').next()?;
        let is_month = month.len() == 5 && month.as_bytes().get(2) == Some(&b'.');
        let known = ["pytorch", "nemo", "jax", "tensorflow", "modulus"].contains(&name);
        (known && is_month && month.starts_with(|c: char| c.is_ascii_digit())).then_some(month)
    }
}

/// `12.4` of `--index-url https://download.pytorch.org/whl/cu124`.
fn wheel_cuda(line: &str) -> Option<String> {
    let (_, behind) = line.split_once("/whl/")?;
    let digits = behind.split_once("cu")?.1;
    let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
    let (major, minor) = digits.split_at_checked(2)?;
    (!minor.is_empty()).then(|| format!("{major}.{minor}"))
}

/// The image that a gang's own starts from.
pub(super) fn base_image(plan: &Plan, id: NounId) -> Option<String> {
    Some(Installed::of(plan, plan.program(id)?).from.unwrap_or_default().to_owned())
}

/// What its image installs on top of that.
pub(super) fn installs(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let built = Installed::of(plan, plan.program(id)?).built;
    Some(built.into_iter().flat_map(|it| it.packages.iter().chain(&it.run)).cloned().collect())
}

/// The machine that a gang runs on.
fn machine_of(plan: &Plan, place: Place) -> Option<&Machine> {
    match place {
        Place::Pool(pool) => plan.pool(pool).map(|it| &it.machine),
        Place::Partition(partition) => plan.partition(partition).map(|it| &it.machine),
        Place::Vertex(cluster) => plan.vertex(cluster).map(|it| &it.machine),
    }
}

/// What in its image has no programs for its GPUs.
pub(super) fn wrong_for_gpu(plan: &Plan, id: NounId) -> Option<Vec<OldSoftware>> {
    let program = plan.program(id)?;
    let machine = machine_of(plan, program.place.value)?;
    let gpu = machine.accelerator.as_ref().and_then(|it| plan.model.catalog.gpu(&it.gpu));
    let Some(gpu) = gpu else { return Some(Vec::new()) };
    let installed = Installed::of(plan, program);
    let on_top = wheels_on_top(plan, id, &installed);
    let own = installed.cudas().filter(|_| on_top.is_empty());
    let cudas = own.chain(on_top.iter().cloned());
    let mut found: Vec<OldSoftware> = cudas.filter_map(|it| of_cuda(gpu, it)).collect();
    let torch = installed.pinned("torch").map(|it| it.split('+').next().unwrap_or(it));
    found.extend(
        torch
            .zip(gpu.software.torch.as_deref())
            .and_then(|(has, wants)| is_older(has, wants).then(|| old("PyTorch", has, wants, gpu))),
    );
    found.extend(installed.ngc().zip(gpu.software.ngc.as_deref()).and_then(|(has, wants)| {
        is_older(has, wants).then(|| old("NVIDIA's release", has, wants, gpu))
    }));
    let vllm = installed.tag_of("vllm/vllm-openai").map(|tag| tag.trim_start_matches('v'));
    let vllm = vllm.filter(|tag| tag.starts_with(|c: char| c.is_ascii_digit()));
    found.extend(
        vllm.zip(gpu.software.vllm.as_deref())
            .and_then(|(has, wants)| is_older(has, wants).then(|| old("vLLM", has, wants, gpu))),
    );
    Some(found)
}

/// The CUDA of wheels of PyTorch that commands of a gang install: what its image has already is not taken once more.
fn wheels_on_top(plan: &Plan, id: NounId, installed: &Installed<'_>) -> Vec<String> {
    let from = installed.from.unwrap_or_default();
    let has = ["torch", "nemo", "vllm", "sglang", "megatron"].iter().any(|it| from.contains(it));
    let again = ["torch==", " -U ", "--upgrade", "--force-reinstall"];
    let takes =
        |line: &&str| line.contains("torch") && (!has || again.iter().any(|it| line.contains(it)));
    let program = plan.program(id);
    let setup = program.into_iter().flat_map(|it| it.texts());
    let told: Vec<String> = setup.map(|it| it.to_string()).collect();
    let lines = told.iter().flat_map(|it| it.split(['\n', ';']));
    lines.filter(takes).filter_map(wheel_cuda).collect()
}

fn of_cuda(gpu: &Gpu, has: String) -> Option<OldSoftware> {
    if let Some(wants) = gpu.software.cuda.as_deref().filter(|wants| is_older(&has, wants)) {
        return Some(old("CUDA", &has, wants, gpu));
    }
    let last = gpu.software.last_cuda.as_deref().filter(|last| is_older(last, &has))?;
    Some(OldSoftware {
        what: "CUDA".into(),
        has,
        wants: format!("{last} at most"),
        of: gpu.name.clone(),
    })
}

fn old(what: &str, has: &str, wants: &str, gpu: &Gpu) -> OldSoftware {
    let wants = format!("{wants} at the least");
    OldSoftware { what: what.into(), has: has.into(), wants, of: gpu.name.clone() }
}

#[cfg(test)]
mod tests {
    use super::wheel_cuda;

    #[test]
    fn an_index_of_wheels_tells_their_cuda() {
        let of = |line: &str| wheel_cuda(line);
        assert_eq!(
            of("pip install torch --index-url https://h/whl/cu118").as_deref(),
            Some("11.8")
        );
        assert_eq!(of("pip install torch -i https://h/whl/nightly/cu130").as_deref(), Some("13.0"));
        assert_eq!(of("pip install torch --index-url https://h/whl/cpu"), None);
        assert_eq!(of("pip install torch"), None);
    }
}
