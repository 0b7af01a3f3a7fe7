//! What the catalog knows, in short: `slipform catalog` shows each row in full.

use crate::page::Page;
use slipform_model::catalog::{Catalog, Machine, MachineKind, Support};

pub(crate) fn page() -> Page {
    let catalog = Catalog::builtin();
    let mut page = Page::new("catalog.md", "Catalog");
    page.line(&format!("Facts as of {}. `slipform catalog machines a3-megagpu-8g` shows one row in full, with its sources.", catalog.as_of()));
    page.line(
        "How facts are added and corrected is in [add a machine](../how-to/add-a-machine.md).",
    );
    page.heading(2, "Machines with GPUs");
    page.table(
        &["machine", "GPUs", "vCPUs", "memory", "interfaces", "can be had as"],
        of_kind(catalog, MachineKind::Gpu).map(gpu_machine),
    );
    page.heading(2, "Machines with TPUs");
    page.table(
        &["machine", "chips", "vCPUs", "memory", "can be had as"],
        of_kind(catalog, MachineKind::Tpu).map(tpu_machine),
    );
    page.heading(2, "Nodes on one's own floor");
    page.table(
        &["preset", "GPUs"],
        of_kind(catalog, MachineKind::Node)
            .map(|machine| vec![code(&machine.name), accelerators(machine)]),
    );
    page.heading(2, "Machines without accelerators");
    let series: std::collections::BTreeSet<&str> =
        of_kind(catalog, MachineKind::Cpu).map(|machine| machine.series.as_str()).collect();
    let count = of_kind(catalog, MachineKind::Cpu).count();
    page.line(&format!(
        "{count} machine types of the series {}.",
        series.into_iter().collect::<Vec<_>>().join(", ")
    ));
    page.heading(2, "GPUs");
    page.table(
        &["GPU", "architecture", "memory", "bf16 TFLOP/s", "MIG profiles"],
        catalog.gpus().map(|gpu| {
            let profiles: Vec<&str> = gpu.mig.iter().map(|mig| mig.profile.as_str()).collect();
            let bf16 = if gpu.bf16 { gpu.bf16_dense_tflops.to_string() } else { "none".to_owned() };
            vec![
                code(&gpu.name),
                gpu.architecture.clone(),
                format!("{} GB", gpu.memory_gb),
                bf16,
                profiles.join(", "),
            ]
        }),
    );
    page.heading(2, "TPU generations");
    page.table(
        &["TPU", "memory of a chip", "largest slice", "slices"],
        catalog.tpus().map(|tpu| {
            let slices = catalog.slices(&tpu.generation).len();
            vec![
                code(&tpu.generation),
                format!("{} GiB", tpu.hbm_gib_per_chip),
                format!("{} chips", tpu.max_slice_chips),
                slices.to_string(),
            ]
        }),
    );
    page.heading(2, "Network stacks");
    page.table(
        &["stack", "plugin", "NCCL"],
        catalog.stacks().map(|stack| {
            vec![
                code(&stack.name),
                code(&stack.plugin.to_string()),
                stack.nccl.clone().unwrap_or_default(),
            ]
        }),
    );
    page.heading(2, "Places");
    page.line(&format!(
        "{} regions with {} zones.",
        catalog.regions().len(),
        catalog.zones().len()
    ));
    page
}

fn of_kind(catalog: &Catalog, kind: MachineKind) -> impl Iterator<Item = &Machine> {
    catalog.machines().filter(move |machine| machine.kind == kind)
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn accelerators(machine: &Machine) -> String {
    let Some(gpu) = &machine.accelerator else { return String::new() };
    match &gpu.fraction {
        Some(fraction) => format!("{fraction} {}", gpu.gpu),
        None => format!("{} {}", gpu.count, gpu.gpu),
    }
}

fn gpu_machine(machine: &Machine) -> Vec<String> {
    let interfaces = match machine.network.additional_interfaces {
        0 => "1".to_owned(),
        more => format!("1 + {more}"),
    };
    vec![
        code(&machine.name),
        accelerators(machine),
        machine.vcpus.to_string(),
        memory(machine),
        interfaces,
        capacity(machine),
    ]
}

fn tpu_machine(machine: &Machine) -> Vec<String> {
    let chips = machine
        .tpu
        .as_ref()
        .map_or(String::new(), |tpu| format!("{} {}", tpu.chips, tpu.generation));
    vec![code(&machine.name), chips, machine.vcpus.to_string(), memory(machine), capacity(machine)]
}

fn memory(machine: &Machine) -> String {
    format!("{} GiB", machine.memory_gib)
}

fn capacity(machine: &Machine) -> String {
    let capacity = &machine.capacity;
    let forms = [
        ("on demand", capacity.on_demand),
        ("spot", capacity.spot),
        ("reservation", capacity.reservation),
        ("flex-start", capacity.flex_start),
        ("calendar", capacity.calendar),
    ];
    let had = forms.iter().filter_map(|(form, support)| match support {
        Support::Yes => Some((*form).to_owned()),
        Support::No => None,
        _ => Some(format!("{form}?")),
    });
    had.collect::<Vec<_>>().join(", ")
}
